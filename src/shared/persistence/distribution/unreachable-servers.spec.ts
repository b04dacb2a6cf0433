import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { isUnreachableServerError } from './distribution.js';
import { UnreachableServers, type Query } from './unreachable-servers.js';

/* test/citus/frozen-worker.citus-spec.ts tests the effect. */

const CLINICS = [
  { server: 'one:5432', clinicIds: ['1', '2'] },
  { server: 'two:5432', clinicIds: ['3'] },
];

let down: string[];
let isLost: boolean;
const query: Query = (statement) => {
  if (isLost) return Promise.reject(new Error('Connection terminated unexpectedly'));
  return Promise.resolve(statement.includes('check_clinic_servers') ? down.map((server) => ({ server })) : CLINICS);
};

let now: number;
let servers: UnreachableServers;
const logged: unknown[][] = [];
const log = (...line: unknown[]) => logged.push(line.slice(0, 2));
beforeAll(() => Logger.overrideLogger({ log, warn: log, error: log }));
afterAll(() => Logger.overrideLogger(false));
beforeEach(async () => {
  [down, isLost, now] = [['one:5432'], false, 10_000];
  logged.length = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  servers = new UnreachableServers();
  servers.setQuery(query);
  await servers.check();
});
afterEach(() => jest.restoreAllMocks());

it('refuses the Clinics of a server that does not answer, and no others', () => {
  expect([servers.names, servers.has('one:5432'), servers.has('two:5432')]).toEqual([['one:5432'], true, false]);
  expect([1, 2, 3].map((id) => servers.hasClinic(id))).toEqual([true, true, false]);
  let refused: unknown;
  try {
    servers.requireClinic(2);
  } catch (error) {
    refused = error;
  }
  expect(isUnreachableServerError(refused)).toBe(true);
  expect(() => servers.requireAll()).toThrow('one:5432 does not answer.');
  expect(() => servers.requireClinic(3)).not.toThrow();
});

it('asks again after a while, and serves the Clinics as soon as the server answers', async () => {
  down = [];
  now += 1_000;
  expect(servers.hasClinic(1)).toBe(true);
  now += 1_500;
  expect(servers.hasClinic(1)).toBe(true);
  await servers.check();
  expect(servers.hasClinic(1)).toBe(false);
});

it('keeps the last result if the database cannot be asked', async () => {
  [down, isLost] = [[], true];
  now += 3_000;
  await servers.check();
  expect(servers.names).toEqual(['one:5432']);
});

it('logs once that a server does not answer, and once that it answers again', async () => {
  now += 3_000;
  await servers.check();
  expect(logged).toEqual([[{ server: 'one:5432' }, 'the server does not answer']]);
  down = ['two:5432'];
  now += 3_000;
  await servers.check();
  expect(logged.slice(1)).toEqual([
    [{ server: 'two:5432' }, 'the server does not answer'],
    [{ server: 'one:5432' }, 'the server answers again'],
  ]);
});
