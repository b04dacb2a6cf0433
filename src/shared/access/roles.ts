/** The roles that a token can name (docs/decisions.md, "Tokens"). */
export const ROLES = ['CLINIC', 'CARE_PROVIDER', 'CLIENT', 'ADMIN'] as const;
export type Role = (typeof ROLES)[number];
