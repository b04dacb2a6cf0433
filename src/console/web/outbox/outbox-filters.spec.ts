import { countOutboxFilters, isRedrivable, readOutboxFilters, toOutboxPath } from './outbox-filters.js';

const read = (query: string) => readOutboxFilters(new URLSearchParams(query));

it('writes filters into the address as it reads them', () => {
  const filters = read('tab=failed&kind=HOMEWORK&recipient=CLIENT&from=2027-03-01&to=2027-03-31&session=11');
  expect(read(toOutboxPath(filters).split('?')[1]!)).toEqual(filters);
  expect(toOutboxPath(filters, 31)).toContain('reminder=31');
  expect(countOutboxFilters(filters)).toBe(5);
});

it('leaves out what an address must not have', () => {
  const filters = read('tab=x&kind=x&recipient=x&from=yesterday&to=&session=1%20or%201');
  expect(filters).toEqual(read(''));
  expect(toOutboxPath(filters)).toBe('/outbox');
  expect(countOutboxFilters(filters)).toBe(0);
});

it('offers to send dead letters again, and what was too late', () => {
  expect(isRedrivable({ status: 'DEAD', reason: 'UNDELIVERABLE' })).toBe(true);
  expect(isRedrivable({ status: 'SKIPPED', reason: 'TOO_LATE' })).toBe(true);
  expect(isRedrivable({ status: 'SKIPPED', reason: 'OPTED_OUT' })).toBe(false);
  expect(isRedrivable({ status: 'SENT', reason: null })).toBe(false);
});
