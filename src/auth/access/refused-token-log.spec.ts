import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ForbiddenError, UnauthenticatedError } from '../../shared/errors/index.js';
import { createRefusalError, REFUSAL_REASONS } from '../token/token-refusal.js';
import { RefusedTokenLog } from './refused-token-log.js';

let now = 0;
let lines: unknown[][];
let log: RefusedTokenLog;
beforeEach(() => {
  lines = [];
  log = new RefusedTokenLog();
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  jest.spyOn(Logger.prototype, 'log').mockImplementation((...line: unknown[]) => void lines.push(line));
});
afterEach(() => jest.restoreAllMocks());

const lineOf = (reason: keyof typeof REFUSAL_REASONS, count: number) => [
  { event: 'token.refused', reason, because: REFUSAL_REASONS[reason], count },
  'token refused',
];

it('logs the first refusal of each reason at once, and counts the following ones', () => {
  for (let refusal = 0; refusal < 1_000; refusal += 1) log.record(createRefusalError('EXPIRED'));
  log.record(createRefusalError('AUDIENCE'));
  expect(lines).toEqual([lineOf('EXPIRED', 1), lineOf('AUDIENCE', 1)]);
  now += 10_000;
  log.record(createRefusalError('EXPIRED'));
  expect(lines).toHaveLength(3);
  expect(lines.at(-1)).toEqual(lineOf('EXPIRED', 1_000));
});

it('ignores other errors', () => {
  log.record(new ForbiddenError());
  log.record(Object.assign(new Error('token'), { reason: 'EXPIRED' }));
  log.record(new UnauthenticatedError());
  expect(lines).toEqual([]);
});
