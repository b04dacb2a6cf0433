import { z } from 'zod';
import { countItemsIfRequested } from './page.js';
import { idListQuery, enumListQuery, instantQuery, sortQuery } from './query-types.js';

const query = z.object({
  status: enumListQuery(['SCHEDULED', 'PAUSED'], 'Only these.'),
  id: idListQuery('Only these.'),
  from: instantQuery('From.'),
  sort: sortQuery(['createdAt', 'name']),
});
const read = (given: object) => query.safeParse(given).data;
const pointersOf = (given: object) => query.safeParse(given).error?.issues.map(({ path }) => path.join('/'));

describe('a filter with several values', () => {
  it.each([
    ['PAUSED', ['PAUSED']],
    ['SCHEDULED,PAUSED', ['SCHEDULED', 'PAUSED']],
    ['PAUSED, PAUSED', ['PAUSED']],
    [
      ['PAUSED', 'SCHEDULED,PAUSED'],
      ['PAUSED', 'SCHEDULED'],
    ],
    [undefined, undefined],
  ])('reads %j', (status, values) => {
    expect(read({ status })?.status).toEqual(values);
  });

  it.each(['', ',', 'scheduled', 'PAUSED,', 'PAUSED,x', [], ['PAUSED', ''], 5, { a: 'PAUSED' }])(
    'refuses %j',
    (status) => {
      expect(pointersOf({ status })).toEqual(['status']);
    },
  );

  it('reads ids, and refuses more than 50', () => {
    const ids = Array.from({ length: 50 }, (_, index) => index + 1);
    expect(read({ id: ids.join(',') })?.id).toEqual(ids);
    expect(read({ id: ids.map(String) })?.id).toEqual(ids);
    for (const id of [`${ids.join(',')},51`, '1'.repeat(16), '0', '-1', '1.5', ','.repeat(100_000)])
      expect(pointersOf({ id })).toEqual(['id']);
  });
});

describe('an order', () => {
  it.each([
    [undefined, { field: 'createdAt', direction: 'asc' }],
    ['createdAt', { field: 'createdAt', direction: 'asc' }],
    ['name', { field: 'name', direction: 'asc', cursorTag: 'name' }],
    ['-name', { field: 'name', direction: 'desc', cursorTag: '-name' }],
  ])('reads %j', (sort, order) => {
    expect(read({ sort })?.sort).toEqual(order);
  });

  it.each(['', '-', 'id', '--name', ['name', 'name']])('refuses %j', (sort) => {
    expect(pointersOf({ sort })).toEqual(['sort']);
  });
});

describe('a count', () => {
  it.each([
    [undefined, 5, {}],
    ['exact' as const, 5, { count: { value: 5, isExact: true } }],
    ['exact' as const, 10_000, { count: { value: 10_000, isExact: true } }],
    ['exact' as const, 99_999, { count: { value: 10_000, isExact: false } }],
    ['estimated' as const, 99_999, { count: { value: 1_000, isExact: false } }],
  ])('%j of %d items', async (mode, items, expected) => {
    expect(await countItemsIfRequested(mode, (maximum) => Math.min(maximum, items))).toEqual(expected);
  });
});

describe('an instant', () => {
  it.each([
    ['2027-03-28T01:30:00Z', '2027-03-28T01:30:00Z'],
    ['2027-03-28T01:30:00.5+01:00', '2027-03-28T00:30:00.5Z'],
    ['2027-03-28T01:30:00.1234567890123Z', '2027-03-28T01:30:00.123456789Z'],
    [`2027-03-28T01:30:00.${'9'.repeat(60)}-05:30`, '2027-03-28T07:00:00.999999999Z'],
  ])('reads %s', (from, instant) => {
    expect(String(read({ from })?.from)).toBe(instant);
  });

  it.each(['2027-02-29T00:00:00Z', '2027-03-28T01:30:00', '0000-12-31T23:59:59Z', '9999-12-31T23:59:59-01:00'])(
    'refuses %s',
    (from) => {
      expect(pointersOf({ from })).toEqual(['from']);
    },
  );
});
