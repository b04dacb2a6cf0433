import type { EntityManager } from '@mikro-orm/core';
import { computeCallerDigest, type Principal } from '../../access/index.js';
import { forkForActor, toDatabaseSession, type Actor } from './database-session.js';

/* The session variables of each actor. test/security/isolation.e2e-spec.ts checks their effect in the database. */

const CLINIC: Principal = { role: 'CLINIC', subject: 'user-1', clinicId: 7 };
const CARE_PROVIDER: Principal = { role: 'CARE_PROVIDER', subject: 'user-1', caregiverId: 8 };
const CLIENT: Principal = { role: 'CLIENT', subject: 'user-1', clientId: 9 };
const ADMIN: Principal = { role: 'ADMIN', subject: 'user-1' };
const service = (kind: string, id: string) => ({
  ...{ role: 'scheduling_service', 'app.caller_kind': kind, 'app.caller_id': id },
});
const own = (principal: Principal) => ({ 'app.caller': computeCallerDigest(principal) });

const ACTORS: [Actor, Record<string, string>][] = [
  [CLINIC, { ...service('CLINIC', '7'), ...own(CLINIC) }],
  [CARE_PROVIDER, { ...service('CARE_PROVIDER', '8'), ...own(CARE_PROVIDER) }],
  [CLIENT, { ...service('CLIENT', '9'), ...own(CLIENT) }],
  [ADMIN, { role: 'scheduling_admin', ...own(ADMIN) }],
  [{ role: 'CALENDAR_LINK', secretHash: 'digest' }, service('CALENDAR_LINK', 'digest')],
  [{ role: 'OPT_OUT_LINK', optOutToken: 'token' }, service('OPT_OUT_LINK', 'token')],
  [{ role: 'REMINDERS' }, { role: 'scheduling_reminders' }],
  [{ role: 'MAINTENANCE' }, { role: 'scheduling_maintenance' }],
  [{ role: 'AUDIT' }, { role: 'scheduling_audit' }],
  [{ role: 'NOBODY' }, service('NOBODY', '')],
];

it.each(ACTORS)('%j', (actor, variables) => {
  expect(toDatabaseSession(actor)).toEqual({ variables });
});

it('forks the EntityManager with the session of the actor', () => {
  const forks: object[] = [];
  const fork = (options: object) => {
    forks.push(options);
    return 'fork';
  };
  expect(forkForActor({ fork } as unknown as EntityManager, CLINIC)).toBe('fork');
  expect(forks).toEqual([{ session: toDatabaseSession(CLINIC) }]);
});
