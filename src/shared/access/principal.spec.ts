import { createHash } from 'node:crypto';
import { computeCallerDigest, getRecordId, type Principal } from './principal.js';

const PRINCIPALS: [Principal, number | null][] = [
  [{ role: 'CLINIC', subject: 'somebody', clinicId: 7 }, 7],
  [{ role: 'CARE_PROVIDER', subject: 'somebody', caregiverId: 7 }, 7],
  [{ role: 'CLIENT', subject: 'somebody', clientId: 7 }, 7],
  [{ role: 'CLIENT', subject: 'somebody', clientId: 8 }, 8],
  [{ role: 'CLIENT', subject: 'somebody else', clientId: 7 }, 7],
  [{ role: 'ADMIN', subject: 'somebody' }, null],
  // What separates the parts is no part.
  [{ role: 'ADMIN', subject: '",7,"' }, null],
];

it.each(PRINCIPALS)('the record of %j is %j', (principal, record) => {
  expect(getRecordId(principal)).toBe(record);
});

it('no two callers have one digest', () => {
  expect(new Set(PRINCIPALS.map(([principal]) => computeCallerDigest(principal))).size).toBe(PRINCIPALS.length);
});

it('the digest of a caller is what it was before the service was started again', () => {
  expect(computeCallerDigest({ role: 'CLINIC', subject: 'somebody', clinicId: 7 })).toBe(
    createHash('sha256').update('["CLINIC",7,"somebody"]').digest('hex'),
  );
});
