import type { EntityClass } from '@mikro-orm/core';
import { computeDigests, type TenantEntityManager } from '../../shared/persistence/index.js';
import type { CareProvider, Client } from '../domain/person.entity.js';

/** The condition that finds people of one Clinic by their external IDs. */
export type ExternalIdFilter = {
  clinicId: number;
  $or: [{ externalIdDigest: { $in: string[] } }, { externalId: { $in: string[] } }];
};

/** Builds the condition for both forms of an external ID: its digest, and the plain text of rows not yet encrypted. */
export async function buildExternalIdFilter(
  em: TenantEntityManager,
  entity: EntityClass<CareProvider | Client>,
  clinicId: number,
  externalIds: readonly string[],
): Promise<ExternalIdFilter> {
  const digests = await computeDigests(em, entity, 'externalId', clinicId, externalIds);
  return { clinicId, $or: [{ externalIdDigest: { $in: digests } }, { externalId: { $in: [...externalIds] } }] };
}
