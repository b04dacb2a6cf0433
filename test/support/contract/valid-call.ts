import { signToken } from '../../../src/auth/index.js';
import { PUBLIC, type Role } from '../../../src/shared/access/index.js';
import { findExample, replaceIds, requiresIfMatch, type OpenApiDocument, type Operation } from './openapi-document.js';
import { roleOf, STATUS_TABLE } from '../status-rows.js';
import { nextExternalId, type ParameterValues, type TestTenant } from './tenant.js';
import { testEnvironment } from '../app/test-app.js';

/**
 * A valid call of an operation by the owner of the record. Tests change parts of it. `STATUS_TABLE` contains its
 * expected status.
 */
export type ValidCall = {
  method: string;
  /** The path template, with parameters in braces. */
  path: string;
  operation: Operation;
  /** Values of the path parameters. */
  pathValues: ParameterValues;
  /** IDs of the caller's records, keyed by the names of parameters and fields. */
  ids: ParameterValues;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
};

export async function createValidCall(
  title: string,
  tenant: TestTenant,
  document: OpenApiDocument,
): Promise<ValidCall> {
  const [method, path] = title.split(' ') as [string, string];
  const operation = document.paths[path]![method.toLowerCase()]!;
  const made = (await STATUS_TABLE[title]!.on?.(tenant)) ?? { path: {} };
  const ids = { ...tenant.ids, ...made.body };
  const { type, example } = findExample(operation);
  const token = await createOwnerToken(roleOf(path), tenant);
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `bearer ${token}` };
  const tag = requiresIfMatch(operation) && (await readETag(fillPath(path, made.path), tenant, token!));
  const body = example && replaceIds(example, { ...ids, externalId: nextExternalId() });
  const headers = { ...authorization, ...(type && { 'content-type': type }), ...(tag && { 'if-match': tag }) };
  return { method, path, operation, pathValues: made.path, ids, headers, ...(body ? { body } : {}) };
}

/** Fills in the parameters of a path template. */
export const fillPath = (path: string, values: Readonly<Record<string, unknown>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));

/**
 * Creates a token for the caller of this role who owns the tenant's records, with the longest allowed lifetime. Returns
 * undefined for a public operation.
 */
export async function createOwnerToken(
  role: Role | typeof PUBLIC,
  { fixture }: TestTenant,
): Promise<string | undefined> {
  if (role === PUBLIC) return undefined;
  const { clinicId, careProviderIds, clientIds } = fixture;
  const id = { CLINIC: clinicId, CARE_PROVIDER: careProviderIds[0], CLIENT: clientIds[0], ADMIN: undefined }[role];
  return signToken(testEnvironment.token, { role, id, lifetime: '24h' });
}

async function readETag(path: string, { app }: TestTenant, token: string): Promise<string> {
  return (await app.call('GET', path, { token })).headers.get('etag')!;
}
