import { createHash } from 'node:crypto';

/** Who may call (docs/decisions.md, "Tokens"). */
export const ROLES = ['CLINIC', 'CARE_PROVIDER', 'CLIENT', 'ADMIN'] as const;
export type Role = (typeof ROLES)[number];

export type ClinicPrincipal = { role: 'CLINIC'; subject: string; clinicId: number };
export type CareProviderPrincipal = { role: 'CARE_PROVIDER'; subject: string; caregiverId: number };
export type ClientPrincipal = { role: 'CLIENT'; subject: string; clientId: number };
export type AdminPrincipal = { role: 'ADMIN'; subject: string };

/** Those who work at a Clinic: both see its Sessions, a Care Provider fewer of them. */
export type StaffPrincipal = ClinicPrincipal | CareProviderPrincipal;

/** The verified caller: a role and the directory record that the token names. */
export type Principal = ClinicPrincipal | CareProviderPrincipal | ClientPrincipal | AdminPrincipal;

/** One caller among all, by a digest: a subject is whatever an identity provider makes it. SHA-256, hexadecimal. */
export function computeCallerDigest(principal: Principal): string {
  const { role, subject } = principal;
  return createHash('sha256')
    .update(JSON.stringify([role, getRecordId(principal), subject]))
    .digest('hex');
}

/** The id of the record that the token names; null of an administrator. */
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
