import { ROLES, type Role } from '../../shared/access/roles.js';
import { readClaim } from './claim-path.js';

/* The roles in a token. The console also uses this file, in the browser, so the file imports no package. */

/**
 * Parses a role from a token or header, such as `CLINIC`, `role_clinic` or `Caregiver`: case-insensitive, with or
 * without the prefix `ROLE_`. Only ASCII letters are allowed, because upper-casing can turn other letters into ASCII:
 * `adm\u0131n`, with a dotless i, would become `ADMIN`.
 *
 * @returns undefined if the role is unknown
 */
export function parseRole(written: unknown): Role | undefined {
  if (typeof written !== 'string' || !/^[A-Za-z_]+$/.test(written)) return undefined;
  const name = written.toUpperCase().replace(/^ROLE_/, '');
  const role = name === 'CAREGIVER' || name === 'CAREPROVIDER' ? 'CARE_PROVIDER' : name;
  return ROLES.find((known) => known === role);
}

/**
 * Returns the known roles in a token. The default claim `role` contains a single role; it may contain a list only if
 * the request has an `Acting-Role` header.
 *
 * @param path the configured path of the claim
 */
export function readRoles(claims: unknown, { role: path }: { role: string }, hasActingRole = false): Role[] {
  const written = readClaim(claims, path);
  const isList = path !== 'role' || (hasActingRole && Array.isArray(written));
  if (isList) return parseRoleList(written);
  const only = parseRole(written);
  return only === undefined ? [] : [only];
}

/**
 * Parses groups, roles or scopes from an identity provider: a list or a space-separated string. Ignores unknown roles.
 */
function parseRoleList(written: unknown): Role[] {
  const entries: unknown = typeof written === 'string' ? written.split(' ') : written;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) return [];
  return [...new Set(entries.flatMap((entry) => parseRole(entry) ?? []))];
}
