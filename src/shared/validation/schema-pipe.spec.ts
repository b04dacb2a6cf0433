import fc from 'fast-check';
import { z } from 'zod';
import { InvalidRequestError } from '../errors/index.js';
import { acceptAliases } from './alias.js';
import { pageQuery } from './page.js';
import { nameMissingMembers, SchemaPipe, toViolations } from './schema-pipe.js';
import {
  hourMinute,
  integerBetween,
  optionalList,
  longId,
  requiredText,
  optionalLongId,
  optionalText,
  slashDate,
} from './wire-types.js';

/** Combines the types that request bodies consist of. */
const schema = acceptAliases(
  { planName: 'name' },
  z.object({
    planName: requiredText(5),
    clinicId: optionalLongId('An id.'),
    date: slashDate,
    weeks: optionalList(
      z.object({
        title: optionalText(5),
        bookId: longId('An id.'),
        reminderDay: integerBetween(0, 7).transform((day) => day || 1),
        time: hourMinute,
      }),
      3,
    ).refine((weeks) => new Set(weeks.map(({ bookId }) => bookId)).size === weeks.length, 'must differ'),
  }),
);

const pipe = new SchemaPipe();

async function read(value: unknown): Promise<unknown> {
  try {
    return { value: await pipe.transform(value, { type: 'body', schema }) };
  } catch (error) {
    return { violations: (error as InvalidRequestError).violations };
  }
}

/** Returns the expected outcome: that of Zod without a compiled validator. */
function expected(value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  return success ? { value: data } : { violations: toViolations(nameMissingMembers(error.issues, value), 100) };
}

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(0, -1, 1.5, 2 ** 53, '', ' ', '\0', '\ud800', '😀😀😀', '24:00'),
);
const orOdd = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ arbitrary: usual, weight: 12 }, { arbitrary: odd, weight: 1 });
const id = orOdd(fc.integer({ min: 0, max: 4 }));
const week = fc.record(
  {
    title: orOdd(fc.constantFrom(null, 'a', ' ')),
    bookId: id,
    reminderDay: id,
    time: orOdd(fc.constant('09:30')),
    more: odd,
  },
  { requiredKeys: ['bookId', 'reminderDay', 'time'] },
);
const body = fc.record(
  {
    planName: orOdd(fc.constantFrom('a', ' b ')),
    name: orOdd(fc.constantFrom('a', null)),
    clinicId: id,
    date: orOdd(fc.constantFrom('2027/03/28', '2027/02/29')),
    weeks: orOdd(fc.array(orOdd(week), { maxLength: 4 })),
    ['__proto__']: odd,
  },
  { requiredKeys: ['planName', 'date'] },
);

it('returns the same value and the same violations as the schema', async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(orOdd(body), async (value) => {
      const wanted = expected(value) as object;
      met.add(Object.keys(wanted)[0]!);
      expect(await read(value)).toEqual(wanted);
    }),
    { numRuns: 2_000 },
  );
  // Both outcomes must occur; otherwise, the comparison proves nothing.
  expect([...met].sort()).toEqual(['value', 'violations']);
});

it('drops members that the schema does not know', async () => {
  const hostile = JSON.parse(
    '{"planName":"a","date":"2027/03/28","__proto__":{"admin":true},"constructor":1}',
  ) as unknown;
  const { value } = (await read(hostile)) as { value: object };
  expect(Object.keys(value).sort()).toEqual(['date', 'planName', 'weeks']);
  expect('admin' in value).toBe(false);
});

async function violations(value: unknown, metadata: object) {
  const failure = await pipe.transform(value, metadata as never).then(undefined, (error: unknown) => error);
  return (failure as InvalidRequestError).violations;
}

it('names a path parameter in the pointer, and says what is expected instead of a value that is no object', async () => {
  const name = z.string({ error: 'must be a string' });
  expect(await violations(5, { type: 'param', data: 'id', schema: name })).toEqual([
    { pointer: '/id', detail: 'must be a string' },
  ]);
  for (const value of [null, [], 'text', undefined])
    expect(await violations(value, { type: 'body', schema: z.object({ name }) })).toEqual([
      { pointer: '', detail: 'must be an object' },
    ]);
});

it('says of a member that is missing that it is required, and of one with a wrong type what it must be', async () => {
  const body = { clientId: 'x', weeks: [{}, { bookId: null }] };
  const week = z.object({ bookId: longId('An id.') });
  const reason = z.enum(['A', 'B'], { error: 'must be one of A, B' });
  const whole = z.object({
    clientId: longId('An id.'),
    date: slashDate,
    weeks: z.array(week),
    name: requiredText(5),
    reason,
  });
  const found = await violations(body, { type: 'body', schema: whole });
  expect(Object.fromEntries(found.map(({ pointer, detail }) => [pointer, detail]))).toEqual({
    '/clientId': 'must be an integer',
    '/date': expect.stringMatching(/^is required and must be a date/),
    '/weeks/0/bookId': 'is required and must be an integer',
    '/weeks/1/bookId': 'must be an integer',
    '/name': 'is required and must be a string',
    '/reason': 'is required and must be one of A, B',
  });
});

it.each([
  [{ limit: ['1', '2'] }, { pointer: '/limit', detail: 'must be given once' }],
  [{ cursor: ['a', 'b'] }, { pointer: '/cursor', detail: 'must be given once' }],
  [{ cursor: 5 }, { pointer: '/cursor', detail: 'must be a string' }],
  [{ cursor: 'a'.repeat(301) }, { pointer: '/cursor', detail: 'must be at most 300 characters long' }],
])('says what is wrong with the query parameter %j, which has no text of its own', async (query, violation) => {
  expect(await violations(query, { type: 'query', schema: pageQuery })).toEqual([violation]);
});
