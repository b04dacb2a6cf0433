import { createHash } from 'node:crypto';
import { computeCallerDigest, findOpenAccessIdOfCaller, getRecordId, type Principal } from './principal.js';

const PRINCIPALS: [Principal, number | null][] = [
  [{ role: 'CLINIC', subject: 'subject', clinicId: 7 }, 7],
  [{ role: 'CARE_PROVIDER', subject: 'subject', caregiverId: 7 }, 7],
  [{ role: 'CLIENT', subject: 'subject', clientId: 7 }, 7],
  [{ role: 'CLIENT', subject: 'subject', clientId: 8 }, 8],
  [{ role: 'CLIENT', subject: 'another subject', clientId: 7 }, 7],
  [{ role: 'ADMIN', subject: 'subject' }, null],
  // Separators in a subject must not give two callers the same digest.
  [{ role: 'ADMIN', subject: '",7,"' }, null],
];

it.each(PRINCIPALS)('the record id of %j is %j', (principal, record) => {
  expect(getRecordId(principal)).toBe(record);
});

it('different callers have different digests', () => {
  expect(new Set(PRINCIPALS.map(([principal]) => computeCallerDigest(principal))).size).toBe(PRINCIPALS.length);
});

it('an administrator with an open access has an own digest, and the record id of the Clinic', () => {
  const clinic: Principal = { role: 'CLINIC', subject: 'subject', clinicId: 7 };
  const administrator: Principal = { ...clinic, administratorAccessId: 3 };
  expect([clinic, administrator].map(findOpenAccessIdOfCaller)).toEqual([undefined, 3]);
  expect(getRecordId(administrator)).toBe(7);
  expect(computeCallerDigest(administrator)).toBe(createHash('sha256').update('["ADMIN",7,"subject"]').digest('hex'));
});

it('the digest is the SHA-256 of role, record id and subject', () => {
  expect(computeCallerDigest({ role: 'CLINIC', subject: 'subject', clinicId: 7 })).toBe(
    createHash('sha256').update('["CLINIC",7,"subject"]').digest('hex'),
  );
});
