import { OPT_OUT_SECRET_PATTERN } from './opt-out-link.entity.js';
import {
  indexPreferencesByOwner,
  resolvePreference,
  ReminderPreference,
  toPreferenceOwnerFilter,
  type PreferenceOwner,
  type ReminderPreferenceValues,
} from './reminder-preference.entity.js';
import { toRecipientKey, type Recipient } from '../reminder-kinds.js';

const NOW = Temporal.Instant.from('2026-11-21T10:00:00Z');
const ALL = ['EMAIL', 'WEBHOOK', 'LOG'];
const [NIGHT, NOON] = [
  { from: '21:00', to: '08:00' },
  { from: '12:00', to: '14:00' },
];
const EMPTY: ReminderPreferenceValues = { channels: null, quietHours: null, noQuietHours: false, optedOut: [] };

function createPreference(
  kind: 'CLIENT' | 'CLINIC',
  data?: Partial<ReminderPreferenceValues>,
): ReminderPreference | undefined {
  if (data === undefined) return undefined;
  const made = new ReminderPreference(1, { kind, id: 7 }, NOW);
  made.update({ ...EMPTY, ...data }, NOW);
  return made;
}

const resolve = (
  own?: Partial<ReminderPreferenceValues>,
  clinic?: Partial<ReminderPreferenceValues>,
  configured = ['EMAIL', 'WEBHOOK'],
) =>
  resolvePreference(createPreference('CLIENT', own), createPreference('CLINIC', clinic), configured, 'Europe/London');

type Chosen = Partial<ReminderPreferenceValues> | undefined;

it('is empty at first', () => {
  const made = new ReminderPreference(1, { kind: 'CLIENT', id: 7 }, NOW);
  expect({ ...made, updatedAt: made.updatedAt.toString() }).toEqual({
    ...EMPTY,
    ...{ clinicId: 1, ownerKind: 'CLIENT', ownerId: 7, revealing: false, updatedAt: NOW.toString() },
    optOutToken: expect.stringMatching(OPT_OUT_SECRET_PATTERN),
  });
});

describe('channels', () => {
  it.each<[why: string, own: Chosen, clinic: Chosen, configured: string[], expected: string[]]>([
    ['none chosen: all that are configured', undefined, undefined, ['EMAIL', 'WEBHOOK'], ['EMAIL', 'WEBHOOK']],
    ['both preferences without channels', {}, {}, ['EMAIL', 'WEBHOOK'], ['EMAIL', 'WEBHOOK']],
    ["the Clinic's", undefined, { channels: ['WEBHOOK'] }, ALL, ['WEBHOOK']],
    ["the Clinic's, if the recipient has chosen none", {}, { channels: ['WEBHOOK'] }, ALL, ['WEBHOOK']],
    ["the recipient's before the Clinic's", { channels: ['EMAIL'] }, { channels: ['WEBHOOK'] }, ALL, ['EMAIL']],
    ['in the chosen order', { channels: ['WEBHOOK', 'EMAIL'] }, {}, ALL, ['WEBHOOK', 'EMAIL']],
    ['without one that is no longer configured', { channels: ['WEBHOOK', 'EMAIL'] }, {}, ['EMAIL'], ['EMAIL']],
    // A chosen channel is not replaced by another one, because other people may be able to read messages there.
    ['none is left', { channels: ['WEBHOOK'] }, { channels: ['EMAIL'] }, ['EMAIL'], []],
    ["none of the Clinic's is left", {}, { channels: ['WEBHOOK'] }, ['EMAIL'], []],
    ['nothing but the log is configured', undefined, undefined, ['LOG'], ['LOG']],
  ])('%s', (_, own, clinic, configured, expected) => {
    expect(resolve(own, clinic, configured).channels).toEqual(expected);
  });
});

describe('quiet hours', () => {
  it.each<[why: string, own: Chosen, clinic: Chosen, expected: object | null]>([
    ['none chosen: none', undefined, undefined, null],
    ["the Clinic's", undefined, { quietHours: NIGHT }, NIGHT],
    ["the Clinic's, if the recipient has chosen none", { channels: ['EMAIL'] }, { quietHours: NIGHT }, NIGHT],
    ["the recipient's before the Clinic's", { quietHours: NOON }, { quietHours: NIGHT }, NOON],
    ["the recipient's if the Clinic has none", { quietHours: NOON }, {}, NOON],
    ['none, even if the Clinic has some', { noQuietHours: true }, { quietHours: NIGHT }, null],
    ['none, even with own hours', { noQuietHours: true, quietHours: NOON }, undefined, null],
    ['noQuietHours of the Clinic does not affect own hours', { quietHours: NOON }, { noQuietHours: true }, NOON],
  ])('%s', (_, own, clinic, expected) => {
    expect(resolve(own, clinic).quietHours).toEqual(expected);
  });
});

describe('opting out', () => {
  it('is only possible for the recipient, not for the Clinic', () => {
    expect(resolve({ optedOut: ['HOMEWORK'] }).optedOut).toEqual(new Set(['HOMEWORK']));
    expect(resolve({}, { optedOut: ['SESSION'] }).optedOut).toEqual(new Set());
    expect(resolve(undefined, { optedOut: ['SESSION'] }).optedOut).toEqual(new Set());
  });

  it('a second time changes nothing, not even the time of the change', () => {
    const own = createPreference('CLIENT', {})!;
    own.optOut('HOMEWORK', NOW.add({ hours: 1 }));
    own.optOut('HOMEWORK', NOW.add({ hours: 2 }));
    expect([own.optedOut, own.updatedAt.toString()]).toEqual([['HOMEWORK'], '2026-11-21T11:00:00Z']);
  });
});

it('reveals titles only if the Clinic allows it, whatever the recipient has stored', () => {
  expect(resolve().revealing).toBe(false);
  expect(resolve({ revealing: true }).revealing).toBe(false);
  expect(resolve({}, { revealing: true }).revealing).toBe(true);
  expect(resolve({ revealing: false }, { revealing: true }).revealing).toBe(true);
});

describe('the preferences of many recipients', () => {
  const owners = (['CLINIC', 'CLIENT', 'CARE_PROVIDER'] as const).flatMap((kind) =>
    [1, 2, 3].map((id): PreferenceOwner => ({ kind, id })),
  );
  const preferences = owners.map((owner) => new ReminderPreference(1, owner, NOW));
  const CLIENT_1: Recipient = { kind: 'CLIENT', id: 1 };
  const CLIENT_3: Recipient = { kind: 'CLIENT', id: 3 };
  const CARE_PROVIDER_2: Recipient = { kind: 'CARE_PROVIDER', id: 2 };

  it.each<[recipients: Recipient[], clinicIds: number[], expected: string[]]>([
    [[], [], []],
    [[], [2, 3], ['CLINIC 2', 'CLINIC 3']],
    [[CLIENT_1], [], ['CLIENT 1']],
    [[CARE_PROVIDER_2], [1], ['CLINIC 1', 'CARE_PROVIDER 2']],
    [[CARE_PROVIDER_2, CLIENT_3, CLIENT_1], [2], ['CLINIC 2', 'CLIENT 1', 'CLIENT 3', 'CARE_PROVIDER 2']],
  ])('for the recipients %j and the Clinics %j, the filter selects %j', (recipients, clinicIds, expected) => {
    const conditions = toPreferenceOwnerFilter(recipients, clinicIds);
    const selected = preferences.filter(({ ownerKind, ownerId }) =>
      conditions.some((condition) => condition.ownerKind === ownerKind && condition.ownerId.$in.includes(ownerId)),
    );
    expect(selected.map(({ ownerKind, ownerId }) => `${ownerKind} ${ownerId}`)).toEqual(expected);
  });

  it('are found by the keys of their owners', () => {
    const index = indexPreferencesByOwner(preferences);
    expect(index.size).toBe(9);
    for (const recipient of [CLIENT_1, CLIENT_3, CARE_PROVIDER_2])
      expect(index.get(toRecipientKey(recipient))).toMatchObject({ ownerKind: recipient.kind, ownerId: recipient.id });
    expect(index.get('CLINIC 2')).toMatchObject({ ownerKind: 'CLINIC', ownerId: 2 });
    expect(index.get('CLINIC 4')).toBeUndefined();
  });
});

it('has its own opt-out secret, which an update does not change', () => {
  const [one, other] = [createPreference('CLIENT', {})!, createPreference('CLIENT', {})!];
  expect(one.optOutToken).toMatch(/^[\w-]{32}$/);
  expect(one.optOutToken).not.toBe(other.optOutToken);
  const before = one.optOutToken;
  one.update({ ...EMPTY, channels: ['EMAIL'] }, NOW);
  expect(one.optOutToken).toBe(before);
});

it.each([
  ['a'.repeat(32), true],
  ['Z9-_'.repeat(8), true],
  ['a'.repeat(31), false],
  ['a'.repeat(33), false],
  [`${'a'.repeat(31)}.`, false],
  [`${'a'.repeat(31)}=`, false],
  ['', false],
])('accepts the opt-out secret %j: %s', (secret, expected) => {
  expect(OPT_OUT_SECRET_PATTERN.test(secret)).toBe(expected);
});
