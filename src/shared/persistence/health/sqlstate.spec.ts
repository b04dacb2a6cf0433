import { isPageDamage, isDatabaseFault, isUnusableConnection } from './sqlstate.js';

it.each([
  ['25006', 'read-only: a replica, or a primary that was demoted'],
  ['57P01', 'shut down by an administrator'],
  ['57P02', 'shut down after a crash'],
  ['57P03', 'starting up'],
  ['57014', 'cancelled by a timeout'],
  ['08006', 'connection lost'],
  ['08P01', 'closed by a pooler'],
  ['53300', 'too many connections'],
  ['40001', 'serialisation failure'],
  ['XX001', 'damaged page'],
])('%s is answered with 503 (%s)', (code) => {
  expect(isDatabaseFault(code)).toBe(true);
});

it.each(['23505', '22P02', '42501', '42601'])('%s is not a fault of the database', (code) => {
  expect(isDatabaseFault(code)).toBe(false);
});

it('closes the connection to a read-only server, so that the next one can reach the primary', () => {
  expect(isUnusableConnection('25006')).toBe(true);
  expect(isUnusableConnection('57014')).toBe(false);
});

it('recognises damaged pages', () => {
  expect(['XX001', 'XX002', 'XX000'].map(isPageDamage)).toEqual([true, true, false]);
});
