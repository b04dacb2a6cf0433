import { jest } from '@jest/globals';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { KeysUnavailableError } from '../errors/index.js';
import { DataKeys } from './data-keys.js';
import { DirectoryKeyStore } from './store/directory-key-store.js';
import { KeyRing, type RingKey } from './wrapping/key-ring.js';
import { UnusableKeyError, type WrappedKey } from './wrapping/key-wrapper.js';
import { toOwnerKey, type KeyOwner } from './key-owner.js';

// Keys are flushed to the disk, and a disk that other processes use can take a second for a few of them.
jest.setTimeout(30_000);

const newKey = (name: string): RingKey => ({ name, key: randomBytes(32).toString('base64') });
const [OLD, NEW] = [newKey('old'), newKey('new')];
const create = async (keys: DataKeys, owner: KeyOwner) => (await keys.createAll([owner]))[0]!;
const clientOf = (id: number): KeyOwner => ({ kind: 'CLIENT', id });

let directory: string;
beforeEach(() => {
  Logger.overrideLogger(false);
  directory = mkdtempSync(join(tmpdir(), 'data-keys-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Creates the keys of another instance that uses the same directory. */
const open = (...ring: [RingKey, ...RingKey[]]) => new DataKeys(new KeyRing(ring), new DirectoryKeyStore(directory));
const exportKey = async (keys: DataKeys, owner: KeyOwner) =>
  (await keys.load([owner])).get(toOwnerKey(owner))?.export();
const listFiles = () => readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => /\./.test(name));

it('gives all instances the same key of a record, and different records different ones', async () => {
  const [one, other] = [open(OLD), open(OLD)];
  expect(await exportKey(other, clientOf(1))).toBeUndefined();
  expect(await create(one, clientOf(1))).toBe(true);
  expect(await create(one, clientOf(2))).toBe(true);
  const [first, second] = [await exportKey(one, clientOf(1)), await exportKey(one, clientOf(2))];
  expect(await exportKey(open(OLD), clientOf(1))).toEqual(first);
  expect(second).not.toEqual(first);
});

it('forgets a key that another instance has destroyed within five minutes', async () => {
  const [one, other] = [open(OLD), open(OLD)];
  await create(one, clientOf(1));
  expect(await exportKey(other, clientOf(1))).toBeDefined();
  await one.destroy([clientOf(1)]);
  const start = performance.now();
  const clock = jest.spyOn(performance, 'now').mockReturnValue(start + 5 * 60_000 + 1);
  try {
    expect(await exportKey(other, clientOf(1))).toBeUndefined();
  } finally {
    clock.mockRestore();
  }
});

it('keeps no key in memory for longer than five minutes, even if it is not used any more', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  try {
    const keys = open(OLD);
    await create(keys, clientOf(1));
    const { cache } = keys as unknown as { cache: { size: number } };
    expect(cache.size).toBe(1);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 5 * 60_000 + 2);
    jest.advanceTimersByTime(5 * 60_000 + 2);
    expect(cache.size).toBe(0);
  } finally {
    jest.restoreAllMocks();
    jest.useRealTimers();
  }
});

it('creates one key for concurrent calls of several instances', async () => {
  const instances = Array.from({ length: 8 }, () => open(OLD));
  const loaded = await Promise.all(instances.map((keys) => keys.loadOrCreate([clientOf(7)])));
  expect(new Set(loaded.map((keys) => keys.get('CLIENT 7')!.export().toString('hex'))).size).toBe(1);
  expect(await Promise.all(instances.map((keys) => create(keys, clientOf(7))))).toEqual(Array(8).fill(false));
});

it('reads the keys of other owners, if the file of one cannot be read, and none if no file can be read', async () => {
  const owners = [1, 2, 3].map(clientOf) as [KeyOwner, KeyOwner, KeyOwner];
  await open(OLD).createAll(owners);
  const makeUnreadable = (id: number) => {
    const file = join(
      directory,
      listFiles().find((name) => name.endsWith(`/${id}.key`))!,
    );
    rmSync(file);
    mkdirSync(file);
  };
  makeUnreadable(2);
  expect([...(await open(OLD).load(owners)).keys()]).toEqual(['CLIENT 1', 'CLIENT 3']);
  expect((await open(OLD).load([owners[1]])).size).toBe(0);
  await expect(open(OLD).loadOrCreate([owners[1]])).rejects.toThrow(KeysUnavailableError);
  expect(await create(open(OLD), owners[1])).toBe(false);
  makeUnreadable(1);
  makeUnreadable(3);
  await expect(open(OLD).load(owners)).rejects.toThrow(KeysUnavailableError);
});

it('stores keys encrypted, in files that only the owner of the process may read', async () => {
  const keys = open(OLD);
  await create(keys, { kind: 'CARE_PROVIDER', id: 4_097 });
  expect(listFiles()).toEqual([join('care-provider', '001', '4097.key')]);
  const file = join(directory, listFiles()[0]!);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const key = (await exportKey(keys, { kind: 'CARE_PROVIDER', id: 4_097 }))!;
  expect(readFileSync(file, 'utf8')).toMatch(/^1 old [A-Za-z0-9+/=]{80}$/);
  expect(readFileSync(file).includes(key.toString('base64').slice(0, 20))).toBe(false);
});

it('refuses a key that was copied from another record, or that was changed', async () => {
  const keys = open(OLD);
  await create(keys, clientOf(1));
  await create(keys, clientOf(2));
  const [first, second] = ['001/1.key', '002/2.key'].map((name) => join(directory, 'client', name)) as [string, string];
  writeFileSync(second, readFileSync(first));
  expect(await exportKey(open(OLD), clientOf(2))).toBeUndefined();
  await expect(open(OLD).loadOrCreate([clientOf(2)])).rejects.toThrow('cannot encrypt or decrypt');
  writeFileSync(first, 'nothing');
  expect(await exportKey(open(OLD), clientOf(1))).toBeUndefined();
});

it('destroys a key for ever', async () => {
  const keys = open(OLD);
  await create(keys, clientOf(1));
  await keys.destroy([clientOf(1)]);
  await keys.destroy([clientOf(1)]);
  expect(await exportKey(keys, clientOf(1))).toBeUndefined();
  expect(await exportKey(open(OLD), clientOf(1))).toBeUndefined();
  expect(await create(open(OLD), clientOf(1))).toBe(false);
  await expect(open(OLD).loadOrCreate([clientOf(1)])).rejects.toThrow('has been erased');
  expect((await open(OLD).loadOrCreate([clientOf(1)], { ignoreDestroyed: true })).size).toBe(0);
  expect(listFiles()).toEqual([join('client', '001', '1.destroyed')]);
});

it('a destroyed key does not come back with a rotation that has read it before', async () => {
  const store = new DirectoryKeyStore(directory);
  const ring = new KeyRing([OLD]);
  await create(open(OLD), clientOf(1));
  const wrapped = (await store.read(clientOf(1))) as WrappedKey;
  await store.destroyAll([clientOf(1)]);
  await store.replace(clientOf(1), wrapped);
  expect(await store.read(clientOf(1))).toBe('DESTROYED');
  // Simulates a rotation that was killed after it wrote the key file and before it checked for a destruction.
  writeFileSync(
    join(directory, 'client', '001', '1.key'),
    (await ring.wrap([{ owner: clientOf(1), dataKey: randomBytes(32) }]))[0]!,
  );
  expect(await store.read(clientOf(1))).toBe('DESTROYED');
  expect(listFiles()).toEqual([join('client', '001', '1.destroyed')]);
});

it('rotates all keys, after which the old key of the ring is not needed', async () => {
  const keys = open(OLD);
  for (let id = 1; id <= 40; id += 1) await create(keys, clientOf(id));
  const before = await exportKey(keys, clientOf(33));
  const ring = open(NEW, OLD);
  expect(await ring.rotate()).toEqual({ done: 0, rewrapped: 40, failed: 0 });
  expect(await ring.rotate()).toEqual({ done: 40, rewrapped: 0, failed: 0 });
  expect(await exportKey(open(NEW), clientOf(33))).toEqual(before);
  expect(await exportKey(open(OLD), clientOf(33))).toBeUndefined();
});

it('instances that get a new key one after another read each other, if they first have it behind the old one', async () => {
  const [before, prepared, after] = [open(OLD), open(OLD, NEW), open(NEW, OLD)];
  await create(after, clientOf(1));
  await create(prepared, clientOf(2));
  const readBy = (keys: DataKeys) => Promise.all([1, 2].map((id) => exportKey(keys, clientOf(id))));
  expect(await readBy(prepared)).toEqual(await readBy(after));
  expect(await readBy(before)).toEqual([undefined, await exportKey(after, clientOf(2))]);
});

it('reports keys that the ring cannot unwrap, and rotates the others', async () => {
  await create(open(OLD), clientOf(1));
  await create(open(NEW), clientOf(2));
  const third = newKey('third');
  expect(await open(third, NEW).rotate()).toEqual({ done: 0, rewrapped: 1, failed: 1 });
  const owner = clientOf(1);
  const [foreign] = await new KeyRing([third]).wrap([{ owner, dataKey: randomBytes(32) }]);
  const [unwrapped] = await new KeyRing([OLD]).unwrap([{ owner, wrapped: foreign! }]);
  expect(unwrapped).toBeInstanceOf(UnusableKeyError);
});

it('keeps the ID of the store, which concurrent starts agree on', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => open(OLD).readStoreId()));
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
});

it('answers with 503 if the directory cannot be used', async () => {
  const keys = new DataKeys(new KeyRing([OLD]), new DirectoryKeyStore('/dev/null/keys'));
  await expect(keys.load([clientOf(1)])).rejects.toMatchObject({ code: 'keys-unavailable' });
  await expect(create(keys, clientOf(1))).rejects.toMatchObject({ code: 'keys-unavailable' });
});

describe('keys that are created together', () => {
  const owners = Array.from({ length: 40 }, (_, index) => clientOf(index + 1));
  const journal = () => listFiles().filter((name) => name.startsWith('journal'));
  const fileOf = (id: number) => join(directory, 'client', id.toString(16).padStart(3, '0'), `${id}.key`);
  /** Makes the batches so old that their keys are synchronised. */
  const age = () => {
    for (const name of journal()) utimesSync(join(directory, name), 0, 0);
  };

  it('are durable with one file for each batch of 500', async () => {
    const keys = open(OLD);
    const many = Array.from({ length: 504 }, (_, index) => clientOf(index + 1));
    const sync = await spyOnSync();
    expect(new Set(await keys.createAll(many))).toEqual(new Set([true]));
    // One for each file of the journal, and one for its directory.
    expect(sync).toHaveBeenCalledTimes(2 * 2);
    sync.mockRestore();
    expect(journal()).toHaveLength(2);
    expect((await open(OLD).load(many)).size).toBe(many.length);
  }, 60_000);

  it('leave the journal once their files are synchronised', async () => {
    const keys = open(OLD);
    await keys.createAll(owners);
    await keys.maintain();
    expect(journal()).toHaveLength(1);
    age();
    const sync = await spyOnSync();
    await keys.maintain();
    // Of each key the file and its directory, and once the journal before it is deleted.
    expect(sync).toHaveBeenCalledTimes(2 * owners.length + 1);
    sync.mockRestore();
    expect(listFiles()).toHaveLength(owners.length);
    expect((await open(OLD).load(owners)).size).toBe(owners.length);
  });

  it('come back after a power failure that lost their files or the contents', async () => {
    const keys = open(OLD);
    await keys.createAll(owners);
    const before = [await exportKey(keys, clientOf(7)), await exportKey(keys, clientOf(8))];
    rmSync(fileOf(7));
    writeFileSync(fileOf(8), '\0'.repeat(80));
    const later = open(OLD);
    await later.recover();
    expect([await exportKey(later, clientOf(7)), await exportKey(later, clientOf(8))]).toEqual(before);
  });

  it('keep their key if they are created again', async () => {
    await create(open(OLD), clientOf(3));
    const before = await exportKey(open(OLD), clientOf(3));
    const created = await open(OLD).createAll(owners.slice(0, 10));
    expect(created).toEqual([true, true, false, true, true, true, true, true, true, true]);
    rmSync(fileOf(3));
    await open(OLD).recover();
    // The journal has no key for the one that existed before.
    expect(await exportKey(open(OLD), clientOf(3))).toBeUndefined();
    expect(before).toBeDefined();
  });

  it('do not come back from the journal once they are destroyed', async () => {
    const keys = open(OLD);
    await keys.createAll(owners);
    const wrapped = readFileSync(fileOf(9), 'utf8');
    await keys.destroy([clientOf(9), clientOf(31)]);
    for (const name of journal()) expect(readFileSync(join(directory, name), 'utf8').includes(wrapped)).toBe(false);
    await open(OLD).recover();
    age();
    await open(OLD).maintain();
    expect(await exportKey(open(OLD), clientOf(9))).toBeUndefined();
    expect(existsSync(fileOf(9))).toBe(false);
    expect((await open(OLD).load(owners)).size).toBe(owners.length - 2);
  });

  it('that were rotated do not come back in their old form', async () => {
    await open(OLD).createAll(owners.slice(0, 20));
    await open(NEW, OLD).rotate();
    await open(NEW).recover();
    age();
    await open(NEW).maintain();
    expect((await open(NEW).load(owners.slice(0, 20))).size).toBe(20);
  });

  it('are created or destroyed if both happen at once, and never both', async () => {
    for (let round = 0; round < 6; round += 1) {
      const own = Array.from({ length: 10 }, (_, index) => clientOf(10_000 + round * 100 + index));
      const [creating, destroying] = [open(OLD), open(OLD)];
      const [created] = await Promise.all([creating.createAll(own), destroying.destroy(own)]);
      // The instance may still have cached a key that was destroyed after its creation (`MAX_KEY_CACHE_AGE_MS`).
      const cached = await creating.load(own);
      expect(own.filter((owner, index) => cached.has(toOwnerKey(owner)) && !created[index])).toEqual([]);
      expect((await open(OLD).load(own)).size).toBe(0);
      await open(OLD).recover();
      expect((await open(OLD).load(own)).size).toBe(0);
    }
  });

  it('are not cached if they are destroyed while they are read', async () => {
    const keys = open(OLD);
    await keys.createAll(owners);
    const reading = open(OLD);
    for (let id = 1; id <= 15; id += 1) {
      const loading = reading.load([clientOf(id)]);
      await reading.destroy([clientOf(id)]);
      await loading;
      expect((await reading.load([clientOf(id)])).size).toBe(0);
    }
  });
});

describe('temporary files of a process that was killed', () => {
  const keyFiles = () => listFiles().filter((name) => name.includes('.key'));
  const readAllFiles = () => listFiles().map((name) => readFileSync(join(directory, name), 'utf8'));
  /** Leaves the temporary files that a write has when the process is killed before it gives them their names. */
  const interrupt = async (write: () => Promise<unknown>) => {
    const sync = await spyOnSync();
    sync.mockRejectedValue(new Error('killed'));
    await expect(write()).rejects.toMatchObject({ message: expect.any(String) });
    sync.mockRestore();
  };

  it('are erased with the key that was being rotated', async () => {
    await create(open(OLD), clientOf(9));
    await interrupt(() => open(NEW, OLD).rotate());
    expect(keyFiles()).toHaveLength(2);
    expect(await open(NEW, OLD).rotate()).toMatchObject({ rewrapped: 1 });
    await open(NEW).destroy([clientOf(9)]);
    expect(keyFiles()).toEqual([]);
  });

  it('lose the keys of a batch that was not completed when they are destroyed', async () => {
    const owners = Array.from({ length: 5 }, (_, index) => clientOf(index + 1));
    await interrupt(() => open(OLD).createAll(owners));
    const wrapped = readFileSync(join(directory, 'client', '002', '2.key'), 'utf8');
    expect(readAllFiles().filter((content) => content.includes(wrapped))).toHaveLength(2);
    await open(OLD).destroy([clientOf(2)]);
    expect(readAllFiles().filter((content) => content.includes(wrapped))).toEqual([]);
  });

  it('are erased after some minutes, also those that are another name of a key', async () => {
    await create(open(OLD), clientOf(9));
    const before = await exportKey(open(OLD), clientOf(9));
    await interrupt(() => open(NEW, OLD).rotate());
    linkSync(join(directory, 'client', '009', '9.key'), join(directory, 'temporary', 'client-009-9.key.linked'));
    await open(OLD).recover();
    expect(keyFiles()).toHaveLength(3);
    for (const name of keyFiles()) utimesSync(join(directory, name), 0, 0);
    await open(OLD).maintain();
    expect(keyFiles()).toEqual([join('client', '009', '9.key')]);
    expect(await exportKey(open(OLD), clientOf(9))).toEqual(before);
  });
});

/** Observes how often files and directories are flushed to disk. */
async function spyOnSync() {
  const handle = await openFile(directory);
  const spy = jest.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync');
  await handle.close();
  return spy;
}
