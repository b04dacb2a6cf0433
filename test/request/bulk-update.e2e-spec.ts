import type { EntityClass } from '@mikro-orm/core';
import fc from 'fast-check';
import { Reminder } from '../../src/reminder/index.js';
import { Session } from '../../src/session/index.js';
import { FOR_BULK_UPDATE, UNTRACKED, bulkUpdate } from '../../src/shared/persistence/index.js';
import { toComparableFields } from '../support/app/comparable-fields.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests that rows changed without MikroORM's unit of work are read back unchanged. */

let app: TestApp;
let clinic: ClinicFixture;
let other: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  [clinic, other] = [await app.createClinic(), await app.createClinic()];
  for (const { careProviderToken: token, clientIds } of [clinic, other]) {
    const series = { clientId: clientIds[0], title: 'A', date: '2027/01/05', time: '10:00', sessionCount: 4 };
    const body = { ...series, reminders: ['-P1D'] };
    expect((await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).status).toBe(201);
  }
});
afterAll(() => app.stop());

const texts = fc.constantFrom('A', '{"NULL",\\}', 'ünï "quoted"', 'null', '', ' \n\\');
const instants = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => Temporal.Instant.fromEpochMilliseconds(date.getTime()));
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
/** Generates changes of up to four rows, each with new values for some columns. */
const changesOf = <T>(columns: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.array(fc.record(columns, { requiredKeys: [] }), { minLength: 0, maxLength: 4 });
const sessions = changesOf({
  ...{ title: texts, description: orNull(texts), cancelNote: orNull(texts), plannedTime: fc.constant('09:30') },
  ...{ startsAt: instants, statusChangedAt: orNull(instants), status: fc.constantFrom('PAUSED', 'SCHEDULED') },
  ...{ planWeek: orNull(fc.integer({ min: 1, max: 90 })), version: fc.integer({ min: 1, max: 1_000_000 }) },
});
const history = fc.array(fc.record({ at: texts, what: fc.constantFrom('MOVED', 'SENT'), times: fc.nat() }));
const reminders = changesOf({
  ...{ history, messageId: orNull(fc.uuid()), dueAt: instants, queuedAt: orNull(instants), reason: orNull(texts) },
  ...{ homeworkId: fc.constant(null), recipientId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) },
  rule: fc.record({ kind: fc.constant('AROUND_START'), offset: texts }),
});

it.each([
  ['Sessions', () => writesWhatChanged(Session, sessions)],
  ['Reminders', () => writesWhatChanged(Reminder, reminders)],
])('%s: writes the changed values and no others', (_what, check) => check());

async function writesWhatChanged<Row extends { id: number; clinicId: number }>(
  entity: EntityClass<Row>,
  changes: fc.Arbitrary<object[]>,
): Promise<void> {
  const all = () =>
    app.asSuperuser((em) => em.find<Row>(entity, {}, { ...FOR_BULK_UPDATE, orderBy: { id: 'asc' } as never }));
  await fc.assert(
    fc.asyncProperty(changes, async (changed) => {
      const rows = await all();
      const touched = changed.map((change, index) => Object.assign(rows[index]!, change));
      await app.asSuperuser((em) => em.transactional(() => bulkUpdate(em, entity, touched, { deferred: true })));
      expect((await all()).map(toComparableFields)).toEqual(rows.map(toComparableFields));
    }),
    { numRuns: 100 },
  );
}

it('does not change rows of another Clinic', async () => {
  const find = () => app.asSuperuser((em) => em.find(Session, {}, { ...UNTRACKED, orderBy: { id: 'asc' } }));
  const before = await find();
  const foreign = before.filter(({ clinicId }) => clinicId === other.clinicId);
  expect(foreign).toHaveLength(4);
  for (const session of foreign) Object.assign(session, { clinicId: clinic.clinicId, title: 'Mine' });
  await app.asSuperuser((em) => em.transactional(() => bulkUpdate(em, Session, foreign, { deferred: true })));
  expect((await find()).map(({ title }) => title)).not.toContain('Mine');
});
