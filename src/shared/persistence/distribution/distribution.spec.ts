import type { EntityMetadata } from '@mikro-orm/core';
import { Distribution, isUnreachableServerError } from './distribution.js';

/* Tests the condition on the Clinic that is added to queries of a distributed database. test/citus tests its effect. */

const OF_CLINIC = { properties: { id: {}, clinicId: { fieldNames: ['clinic_id'] } } } as unknown as EntityMetadata;
const MAYBE_OF_CLINIC = {
  properties: { id: {}, clinicId: { nullable: true, fieldNames: ['clinic_id'] } },
} as unknown as EntityMetadata;
const OF_NONE = { properties: { id: {} } } as unknown as EntityMetadata;
const RAW = { sql: '(select 7)' };
const transaction = {};

function createDistribution(isDistributed: boolean, clinicId = '7'): Distribution {
  const distribution = Object.assign(new Distribution(), { isDistributed });
  distribution.setClinic(transaction, clinicId);
  return distribution;
}

const CASES: [string, EntityMetadata, unknown, unknown][] = [
  ['a condition without the Clinic', OF_CLINIC, { id: 1 }, { clinicId: 7, id: 1 }],
  ['a condition with the Clinic', OF_CLINIC, { clinicId: 8, id: 1 }, { clinicId: 8, id: 1 }],
  ['an expression for the Clinic', OF_CLINIC, { clinicId: RAW }, { $and: [{ clinicId: 7 }, { clinicId: RAW }] }],
  ['an entity that may have no Clinic', MAYBE_OF_CLINIC, { id: 1 }, { id: 1 }],
  ['an entity without a Clinic', OF_NONE, { id: 1 }, { id: 1 }],
];

it.each(CASES)('%s', (_what, meta, where, expected) => {
  expect(createDistribution(true).addClinic(transaction, meta, where)).toEqual(expected);
  expect(createDistribution(false).addClinic(transaction, meta, where)).toBe(where);
});

it('leaves the transactions of jobs for all Clinics as they are', () => {
  const where = { id: 1 };
  expect(createDistribution(true).addClinic({}, OF_CLINIC, where)).toBe(where);
});

it('finds no row for a caller without a Clinic', () => {
  expect(createDistribution(true, '').addClinic(transaction, OF_CLINIC, { id: 1 })).toEqual({ clinicId: 0, id: 1 });
});

it('knows the Clinic in a savepoint', () => {
  const distribution = createDistribution(true);
  const savepoint = {};
  distribution.copyClinic(transaction, savepoint);
  expect(distribution.findClinic(savepoint)).toBe(7);
});

it.each([
  [{ code: '08006', severity: 'ERROR' }, true],
  [{ code: '57P01', severity: 'FATAL' }, true],
  [{ code: '08006' }, false],
  [{ code: '23505', severity: 'ERROR' }, false],
  [undefined, false],
])('%j: a server of the database does not answer: %s', (error, expected) => {
  expect(isUnreachableServerError(error)).toBe(expected);
});
