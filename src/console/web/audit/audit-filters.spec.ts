import {
  countAuditFilters,
  isRecordReference,
  readAuditFilters,
  readNextCursor,
  toNdjsonLines,
  toAuditPath,
} from './audit-filters.js';

it('writes filters into the address as it reads them', () => {
  const query = 'role=CLINIC&access=READ&outcome=DENIED&record=client%2F1&from=2027-03-01&to=2027-03-31';
  const filters = readAuditFilters(new URLSearchParams(query));
  expect(toAuditPath(filters)).toBe(`/audit?${query}`);
  expect(countAuditFilters(filters)).toBe(6);
  expect(toAuditPath(readAuditFilters(new URLSearchParams('role=x&access=x&outcome=500&record=x&from=1&to=')))).toBe(
    '/audit',
  );
});

it('knows the names of records', () => {
  expect(['client/1', 'care-provider/22', 'calendar-link/a1-b'].every(isRecordReference)).toBe(true);
  expect([`series/${'a'.repeat(40)}`, `${'a'.repeat(40)}/1`].every(isRecordReference)).toBe(true);
  expect([`series/${'a'.repeat(41)}`, `${'a'.repeat(41)}/1`].some(isRecordReference)).toBe(false);
  expect(['', 'client', 'client/', '/1', 'Client/1', "client/1' or"].some(isRecordReference)).toBe(false);
});

it('finds the next part of an export', () => {
  expect(readNextCursor('</gateway/profile/clinic/audit/export?access=READ&cursor=WzQyXQ>; rel="next"')).toBe('WzQyXQ');
  expect(readNextCursor(null)).toBeUndefined();
  expect(readNextCursor('</x?cursor=1>; rel="prev"')).toBeUndefined();
});

it('writes one line for each entry', () => {
  expect(toNdjsonLines([])).toBe('');
  expect(toNdjsonLines([{ id: 1 }, { id: 2 }] as never)).toBe('{"id":1}\n{"id":2}\n');
});
