import { ServiceUnavailableException } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { KeyedLimit } from './keyed-limit.js';

/** Calls whose work ends when the test says so. */
class Calls {
  readonly started: string[] = [];
  readonly ended: string[] = [];
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly limit: KeyedLimit) {}

  start(key: string, name: string): void {
    const work = () => {
      this.started.push(name);
      return new Promise<void>((resolve) => this.ends.set(name, resolve));
    };
    const refuse = (error: unknown) => {
      expect(error).toBeInstanceOf(ServiceUnavailableException);
      this.ended.push(`${name} refused`);
    };
    void (async () => this.limit.run(key, work))().then(() => this.ended.push(name), refuse);
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)!();
    await setImmediate();
  }
}

it('runs some calls of each key, lets some wait in their order, and refuses others', async () => {
  const calls = new Calls(new KeyedLimit({ active: 2, waiting: 1 }));
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) calls.start(name[0]!, name);
  await setImmediate();
  expect([calls.started, calls.ended]).toEqual([['a1', 'a2', 'b1'], ['a4 refused']]);
  await calls.end('a2');
  expect([calls.started.at(-1), calls.ended.at(-1)]).toEqual(['a3', 'a2']);
});

it('refuses a call whose turn comes too late, and does not run it afterwards', async () => {
  const calls = new Calls(new KeyedLimit({ active: 1, waiting: 5, waitMs: 20 }));
  for (const name of ['a1', 'a2']) calls.start('a', name);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(calls.ended).toEqual(['a2 refused']);
  await calls.end('a1');
  expect([calls.started, calls.ended]).toEqual([['a1'], ['a2 refused', 'a1']]);
});

it('passes the result and the error of the work on, and then has a free place again', async () => {
  const limit = new KeyedLimit({ active: 1, waiting: 0 });
  expect(await limit.run('a', async () => 5)).toBe(5);
  await expect(limit.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limit.run('a', async () => 6)).toBe(6);
});

it('deletes the limits of keys without work before it keeps more than 1,000', async () => {
  const limit = new KeyedLimit({ active: 1, waiting: 0 });
  const { limits } = limit as unknown as { limits: Map<string, unknown> };
  const calls = new Calls(limit);
  calls.start('busy', 'a1');
  for (let key = 1; key < 1_000; key += 1) await limit.run(String(key), async () => key);
  expect(limits.size).toBe(1_000);
  await limit.run('1000', async () => undefined);
  expect([...limits.keys()]).toEqual(['busy', '1000']);
});
