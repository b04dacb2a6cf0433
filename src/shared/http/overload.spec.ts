import { jest } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { refuseWhenOverloaded, type MemoryUsage } from './overload.js';

/*
 * Tests that requests are refused when memory is short. test/request/overload.e2e-spec.ts tests the responses
 * themselves.
 */

const GIB = 2 ** 30;
const CALM: MemoryUsage = { heap: GIB / 4, external: 0, heapLimit: GIB, resident: GIB / 2, residentLimit: 2 * GIB };

let server: FastifyInstance;
let memory: MemoryUsage;
beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  memory = CALM;
  server = fastify();
  refuseWhenOverloaded(server, () => memory);
  server.get('/', async () => 'answered');
  server.get('/health/live', async () => 'alive');
  await server.ready();
});
afterEach(async () => {
  await server.close();
  jest.useRealTimers();
});

async function statusWith(change: Partial<MemoryUsage>, url = '/'): Promise<number> {
  memory = { ...CALM, ...change };
  jest.advanceTimersByTime(500);
  return (await server.inject({ url })).statusCode;
}

it.each<[string, number, Partial<MemoryUsage>]>([
  ['there is enough', 200, {}],
  ['nine tenths of the heap are in use', 200, { heap: 0.9 * GIB }],
  ['more of the heap is in use', 503, { heap: 0.9 * GIB + 1 }],
  ['buffers fill what the heap leaves', 503, { external: 0.66 * GIB }],
  ['buffers alone would fit', 200, { external: 0.64 * GIB }],
  ['the process has nine tenths of the container', 200, { resident: 1.8 * GIB }],
  ['the process has more of the container', 503, { resident: 1.8 * GIB + 1 }],
])('when %s: %i', async (_, status, change) => {
  expect(await statusWith(change)).toBe(status);
});

it('still answers probes, and all requests once there is memory again', async () => {
  expect(await statusWith({ external: GIB }, '/health/live')).toBe(200);
  expect(await statusWith({ external: GIB })).toBe(503);
  expect(await statusWith({})).toBe(200);
});

it('measures this process by default', async () => {
  const own = fastify();
  refuseWhenOverloaded(own);
  own.get('/', async () => 'answered');
  await own.ready();
  jest.advanceTimersByTime(500);
  expect((await own.inject({ url: '/' })).statusCode).toBe(200);
  await own.close();
});
