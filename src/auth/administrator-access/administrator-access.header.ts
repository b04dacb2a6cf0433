import type { AuthenticatedRequest } from '../../shared/access/index.js';
import { InvalidRequestError } from '../../shared/errors/index.js';
import { isSafeMethod } from '../../shared/http/index.js';

/** The request header with the ID of the access that permits an administrator to read a Clinic's data. */
const ADMINISTRATOR_ACCESS_HEADER = 'administrator-access';

/**
 * Returns the ID in the header if the caller is an administrator and the operation is one for Clinics. Otherwise the
 * header is ignored.
 *
 * @throws InvalidRequestError if the header of a read is repeated or is not an ID
 */
export function findRequestedAccessId(request: AuthenticatedRequest): number | undefined {
  const written = request.raw.headersDistinct[ADMINISTRATOR_ACCESS_HEADER];
  if (written === undefined || request.user?.role !== 'ADMIN') return undefined;
  if (request.routeOptions.config.access !== 'CLINIC') return undefined;
  const [id = '', ...more] = written;
  if (more.length === 0 && /^[1-9]\d{0,14}$/.test(id)) return Number(id);
  // A write is denied in any case, and only a denied request is in the audit trail.
  if (!isSafeMethod(request)) return undefined;
  const detail = 'the header Administrator-Access must be the id of an open access';
  throw new InvalidRequestError([{ pointer: '/administrator-access', detail }]);
}
