import { LockMode, raw, type FilterQuery } from '@mikro-orm/core';
import fc from 'fast-check';
import { Session } from '../../src/session/index.js';
import type { ServiceEntityManager } from '../../src/shared/persistence/index.js';
import { toComparableFields } from '../support/app/comparable-fields.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { isDistributed } from '../support/database/one-server-tests.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests that finds with plain conditions, which bypass MikroORM's query builder, return the same entities as the query
 * builder. The option `comments` forces the use of the query builder.
 */

const BY_QUERY_BUILDER = { comments: ['by the query builder'] };

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  // MikroORM's own finds do not decrypt, and conditions compare what is stored.
  app = await TestApp.start({ encryption: { encrypts: false, keys: undefined } });
  clinic = await app.createClinic();
  for (const [index, title] of ['A', '{"NULL",\\}', 'ünï "quoted"', 'null'].entries()) {
    const body = {
      clientId: clinic.clientIds[0],
      title,
      date: `2027/0${index + 1}/05`,
      time: '10:00',
      sessionCount: 3,
    };
    const { status } = await app.call('POST', '/gateway/profile/caregiver/session', {
      token: clinic.careProviderToken,
      body: index % 2 === 0 ? body : { ...body, description: `${title}\n\\` },
    });
    expect(status).toBe(201);
  }
});
afterAll(() => app.stop());

const instants = fc
  .date({ min: new Date('2026-12-01'), max: new Date('2027-07-01'), noInvalidDate: true })
  .map((date) => Temporal.Instant.fromEpochMilliseconds(date.getTime()));
const numbers = fc.integer({ min: -1, max: 14 });
const titles = fc.constantFrom('A', 'B', '{"NULL",\\}', 'ünï "quoted"', 'null', '');
const comparisons = <T>(values: fc.Arbitrary<T>) =>
  fc.oneof(
    values,
    fc
      .constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte')
      .chain((name) => values.map((value) => ({ [name]: value }))),
    fc.array(values, { maxLength: 4 }).map((list) => ({ $in: list })),
  );
const nothing = fc.constantFrom(null, { $ne: null }, { $eq: null });
const fields = fc.oneof(
  comparisons(numbers).map((id) => ({ id })),
  comparisons(numbers).map((position) => ({ position })),
  comparisons(titles).map((title) => ({ title })),
  comparisons(instants).map((startsAt) => ({ startsAt })),
  fc.oneof(nothing, comparisons(titles)).map((description) => ({ description })),
  fc.constantFrom('%a%', '%n_ll%', 'Ü%').map((like) => ({ title: { $ilike: like } })),
  fc.constant({ clientId: raw('any (select id from client where name <> ?)', ['absent']) }),
  fc.constant({}),
);
const { where: conditions } = fc.letrec((tie) => ({
  where: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fields,
    fc.tuple(fields, fields).map(([one, other]) => ({ ...one, ...other })),
    fc.array(tie('where'), { maxLength: 3 }).map(($and) => ({ $and })),
    fc.tuple(tie('where'), tie('where')).map(($or) => ({ $or })),
  ),
}));
/** The conditions name no Clinic, and a distributed database locks rows of one Clinic only. */
const LOCKS = isDistributed ? [] : ([LockMode.PESSIMISTIC_READ, LockMode.PESSIMISTIC_WRITE] as const);
const options = fc.record({
  orderBy: fc.constantFrom({ id: 'asc' }, { startsAt: 'desc', id: 'desc' }, { title: 'asc', id: 'asc' }),
  limit: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
  lockMode: fc.constantFrom(undefined, LockMode.NONE, ...LOCKS),
  disableIdentityMap: fc.boolean(),
});

it('returns the same as the query builder, for 1,000 conditions', async () => {
  await fc.assert(
    fc.asyncProperty(conditions, options, async (where, asked) => {
      const [own, builders] = await app.asSuperuser(async (em) => {
        const find = (more: object) =>
          em.fork({ keepTransactionContext: true }).find(Session, where as FilterQuery<Session>, { ...asked, ...more });
        return [await find({}), await find(BY_QUERY_BUILDER)];
      });
      expect(own.map(toComparableFields)).toEqual(builders.map(toComparableFields));
    }),
    { numRuns: 1_000 },
  );
});

it('is used by requests', async () => {
  const statements: string[] = [];
  const untap = await interceptStatements(app, { before: (text) => void statements.push(text) });
  const { status } = await app
    .call('GET', '/gateway/profile/clinic/session?limit=2', { token: clinic.clinicToken })
    .finally(untap);
  expect(status).toBe(200);
  expect(statements).toContainEqual(expect.stringMatching(/^select "id", .* from "session" where .* limit \$\d+$/));
});

it('reads texts with special characters as they were written', async () => {
  const sessions = await app.asSuperuser((em) => em.find(Session, {}, { orderBy: { id: 'asc' } }));
  expect(sessions.map(({ title, description }) => [title, description])).toEqual(
    [
      ['A', null],
      ['{"NULL",\\}', '{"NULL",\\}\n\\'],
      ['ünï "quoted"', null],
      ['null', 'null\n\\'],
    ].flatMap((row) => [row, row, row]),
  );
});

it('counts up to a maximum, by plain conditions and by the query builder', async () => {
  const { clinicId } = clinic;
  const count = (where: FilterQuery<Session>, maximum: number) =>
    app.asSuperuser((em) =>
      (em as ServiceEntityManager).countUpTo(Session, { clinicId, ...(where as object) }, maximum),
    );
  for (const where of [{ title: { $ne: 'A' } }, { title: { $nin: ['A'] } }] as FilterQuery<Session>[])
    expect([await count(where, 100), await count(where, 5), await count(where, 9)]).toEqual([9, 5, 9]);
  expect(await count({ id: { $in: [] } }, 5)).toBe(0);
});
