import type { Role } from './sign-in.js';

const ROLES: Readonly<Record<string, Role>> = {
  Clinic: 'CLINIC',
  'Care Provider': 'CARE_PROVIDER',
  Client: 'CLIENT',
  Administrator: 'ADMIN',
};

/** Parses a name in the service's list of demonstration callers, such as `Care Provider 2`. */
export function parseDemonstrationCaller(name: string): { role: Role; ordinal: number | undefined } {
  const [, kind = '', ordinal] = /^(.*?)(?: (\d+))?$/.exec(name) ?? [];
  const role = ROLES[kind];
  if (role === undefined) throw new Error(`${name} is no person of the demonstration.`);
  return { role, ordinal: ordinal === undefined ? undefined : Number(ordinal) };
}
