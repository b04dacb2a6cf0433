import { createHash } from 'node:crypto';

/**
 * A Clinic account, or an administrator who reads the Clinic's data with an open access. In the second case,
 * `administratorAccessId` is the ID of the access, and `subject` is the administrator's subject.
 */
export type ClinicPrincipal = { role: 'CLINIC'; subject: string; clinicId: number; administratorAccessId?: number };
export type CareProviderPrincipal = { role: 'CARE_PROVIDER'; subject: string; caregiverId: number };
export type ClientPrincipal = { role: 'CLIENT'; subject: string; clientId: number };
export type AdminPrincipal = { role: 'ADMIN'; subject: string };

/** The callers who manage care: a Clinic account, or one of its Care Providers. */
export type StaffPrincipal = ClinicPrincipal | CareProviderPrincipal;

/**
 * The verified caller: the role, the subject and, except for administrators, the directory record that the token names.
 */
export type Principal = ClinicPrincipal | CareProviderPrincipal | ClientPrincipal | AdminPrincipal;

/**
 * Computes a digest that identifies a caller by role, record and subject. A digest is used because a subject may have
 * any length and contain any characters.
 *
 * @returns the SHA-256 digest in hexadecimal
 */
export function computeCallerDigest(principal: Principal): string {
  const { subject } = principal;
  const role = findOpenAccessIdOfCaller(principal) === undefined ? principal.role : 'ADMIN';
  return createHash('sha256')
    .update(JSON.stringify([role, getRecordId(principal), subject]))
    .digest('hex');
}

/** Returns the id of the access with which an administrator reads a Clinic's data, or undefined for other callers. */
export function findOpenAccessIdOfCaller(caller: { role: string }): number | undefined {
  return (caller as Partial<ClinicPrincipal>).administratorAccessId;
}

/** Returns the ID of the directory record that the token names, or null for an administrator. */
export function getRecordId(principal: Principal): number | null {
  switch (principal.role) {
    case 'CLINIC':
      return principal.clinicId;
    case 'CARE_PROVIDER':
      return principal.caregiverId;
    case 'CLIENT':
      return principal.clientId;
    case 'ADMIN':
      return null;
  }
}
