import type { EntityManager } from '@mikro-orm/core';
import { computeCallerDigest, type Principal } from '../../access/index.js';
import type { Actor } from './actor.js';
import { ActorSessions } from './actor-sessions.js';
import { findActorClinicId, forkForActor, toDatabaseSession } from './database-session.js';
import { buildSessionStatement, CLINIC_LOOKUP_MARKER } from './session-variables.js';

/* Tests the session variables of each actor. test/security/isolation.e2e-spec.ts tests their effect in the database. */

const CLINIC: Principal = { role: 'CLINIC', subject: 'user-1', clinicId: 7 };
const CARE_PROVIDER: Principal = { role: 'CARE_PROVIDER', subject: 'user-1', caregiverId: 8 };
const CLIENT: Principal = { role: 'CLIENT', subject: 'user-1', clientId: 9 };
const ADMIN: Principal = { role: 'ADMIN', subject: 'user-1' };
const CALENDAR_LINK: Actor = { role: 'CALENDAR_LINK', secretHash: 'digest' };
const OPT_OUT_LINK: Actor = { role: 'OPT_OUT_LINK', secretHash: 'token' };
const own = (principal: Principal) => ({ 'app.caller': computeCallerDigest(principal) });
const service = { role: 'scheduling_service' };
const row = (kind: string, id: string, clinicId: string) => ({
  ...{ 'app.caller_kind': kind, 'app.caller_id': id, 'app.clinic_id': clinicId },
});

const ACTORS: [Actor, Record<string, string>][] = [
  [CLINIC, { ...service, ...own(CLINIC), 'app.clinic_id': '7' }],
  [CARE_PROVIDER, { ...service, ...own(CARE_PROVIDER), ...row('CARE_PROVIDER', '8', CLINIC_LOOKUP_MARKER) }],
  [CLIENT, { ...service, ...own(CLIENT), ...row('CLIENT', '9', CLINIC_LOOKUP_MARKER) }],
  [ADMIN, { role: 'scheduling_admin', ...own(ADMIN) }],
  [CALENDAR_LINK, { ...service, ...row('CALENDAR_LINK', 'digest', CLINIC_LOOKUP_MARKER) }],
  [OPT_OUT_LINK, { ...service, ...row('OPT_OUT_LINK', 'token', CLINIC_LOOKUP_MARKER) }],
  [{ role: 'REMINDERS' }, { role: 'scheduling_reminders', 'app.knows_notices': 'on' }],
  [
    { role: 'REMINDERS', clinicId: 7 },
    { role: 'scheduling_reminders', 'app.knows_notices': 'on', 'app.clinic_id': '7' },
  ],
  [{ role: 'MAINTENANCE' }, { role: 'scheduling_maintenance' }],
  [{ role: 'AUDIT' }, { role: 'scheduling_audit' }],
  [{ role: 'NOBODY' }, service],
];

const createEm = () => ({ config: {}, fork: (options: object) => options }) as unknown as EntityManager;

it.each(ACTORS)('%j', (actor, variables) => {
  expect(toDatabaseSession(createEm(), actor)).toEqual({ variables });
});

it('sets the Clinic after the variables by which it is looked up', () => {
  expect(Object.keys(toDatabaseSession(createEm(), CLIENT).variables).at(-1)).toBe('app.clinic_id');
});

describe('once the Clinic of an actor has been looked up', () => {
  const FOUND: [Actor, Record<string, string>, Record<string, string>][] = [
    [CARE_PROVIDER, row('CARE_PROVIDER', '8', '5'), { ...service, ...own(CARE_PROVIDER), 'app.clinic_id': '5' }],
    [CLIENT, row('CLIENT', '9', '5'), { ...service, ...own(CLIENT), 'app.clinic_id': '5' }],
    // A link also has the caller variables when its Clinic is known, because the audit trail names its record.
    [CALENDAR_LINK, row('CALENDAR_LINK', 'digest', '5'), { ...service, ...row('CALENDAR_LINK', 'digest', '5') }],
    [OPT_OUT_LINK, row('OPT_OUT_LINK', 'token', '5'), { ...service, ...row('OPT_OUT_LINK', 'token', '5') }],
  ];
  it.each(FOUND)('%j', (actor, found, variables) => {
    const em = createEm();
    expect(findActorClinicId(em, actor)).toBeUndefined();
    ActorSessions.of(em.config).remember(found);
    expect(toDatabaseSession(em, actor)).toEqual({ variables });
    expect(findActorClinicId(em, actor)).toBe(5);
  });

  it.each([
    ['of an actor of another kind', row('CLIENT', '8', '5')],
    ['of another actor', row('CARE_PROVIDER', '88', '5')],
    ['of an actor that does not exist yet', row('CARE_PROVIDER', '8', '')],
  ])('that %s is not taken for it', (_what, found) => {
    const em = createEm();
    ActorSessions.of(em.config).remember(found);
    expect(toDatabaseSession(em, CARE_PROVIDER).variables['app.clinic_id']).toBe(CLINIC_LOOKUP_MARKER);
  });

  it('that of another database is not taken for it', () => {
    ActorSessions.of(createEm().config).remember(row('CARE_PROVIDER', '8', '5'));
    expect(toDatabaseSession(createEm(), CARE_PROVIDER).variables['app.clinic_id']).toBe(CLINIC_LOOKUP_MARKER);
  });
});

describe('the statement that sets the variables', () => {
  it('has literals', () => {
    expect(buildSessionStatement({ role: 'r', 'app.clinic_id': '7' })).toEqual({
      text: `select set_config('role', 'r', true), set_config('app.clinic_id', '7', true)`,
      hasClinicLookup: false,
    });
  });

  it('looks the Clinic up, and returns the variables by their names', () => {
    const id = `set_config('app.caller_id', '8', true) as "app.caller_id"`;
    const clinic = `set_config('app.clinic_id', coalesce(current_clinic()::text, ''), true) as "app.clinic_id"`;
    expect(buildSessionStatement({ 'app.caller_id': '8', 'app.clinic_id': CLINIC_LOOKUP_MARKER })).toEqual({
      text: `select ${id}, ${clinic}`,
      hasClinicLookup: true,
    });
  });

  it.each([
    [`', true), set_config('x`, `''', true), set_config(''x'`],
    [`\\', true), set_config('x`, ` E'\\\\'', true), set_config(''x'`],
    [CLINIC_LOOKUP_MARKER, `'${CLINIC_LOOKUP_MARKER}'`],
  ])('keeps the value of a caller a literal: %s', (id, literal) => {
    expect(buildSessionStatement({ 'app.caller_id': id, 'app.clinic_id': '7' })).toEqual({
      text: `select set_config('app.caller_id', ${literal}, true), set_config('app.clinic_id', '7', true)`,
      hasClinicLookup: false,
    });
  });
});

it('forks the EntityManager with the session of the actor', () => {
  const em = createEm();
  expect(forkForActor(em, CLINIC)).toEqual({ session: toDatabaseSession(em, CLINIC) });
});
