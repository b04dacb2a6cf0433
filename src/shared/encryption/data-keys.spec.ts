import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { DataKeys } from './data-keys.js';
import { DirectoryKeyStore } from './store/directory-key-store.js';
import { KeyRing, type RingKey } from './wrapping/key-ring.js';
import { UnusableKeyError, type WrappedKey } from './wrapping/key-wrapper.js';
import { toOwnerKey, type KeyOwner } from './key-owner.js';

const newKey = (name: string): RingKey => ({ name, key: randomBytes(32).toString('base64') });
const [OLD, NEW] = [newKey('old'), newKey('new')];
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
  expect(await one.create(clientOf(1))).toBe(true);
  expect(await one.create(clientOf(2))).toBe(true);
  const [first, second] = [await exportKey(one, clientOf(1)), await exportKey(one, clientOf(2))];
  expect(await exportKey(open(OLD), clientOf(1))).toEqual(first);
  expect(second).not.toEqual(first);
});

it('creates one key for concurrent calls of several instances', async () => {
  const instances = Array.from({ length: 8 }, () => open(OLD));
  const loaded = await Promise.all(instances.map((keys) => keys.loadOrCreate([clientOf(7)])));
  expect(new Set(loaded.map((keys) => keys.get('CLIENT 7')!.export().toString('hex'))).size).toBe(1);
  expect(await Promise.all(instances.map((keys) => keys.create(clientOf(7))))).toEqual(Array(8).fill(false));
});

it('stores keys encrypted, in files that only the owner of the process may read', async () => {
  const keys = open(OLD);
  await keys.create({ kind: 'CARE_PROVIDER', id: 4_097 });
  expect(listFiles()).toEqual([join('care-provider', '001', '4097.key')]);
  const file = join(directory, listFiles()[0]!);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const key = (await exportKey(keys, { kind: 'CARE_PROVIDER', id: 4_097 }))!;
  expect(readFileSync(file, 'utf8')).toMatch(/^1 old [A-Za-z0-9+/=]{80}$/);
  expect(readFileSync(file).includes(key.toString('base64').slice(0, 20))).toBe(false);
});

it('refuses a key that was copied from another record, or that was changed', async () => {
  const keys = open(OLD);
  await keys.create(clientOf(1));
  await keys.create(clientOf(2));
  const [first, second] = ['001/1.key', '002/2.key'].map((name) => join(directory, 'client', name)) as [string, string];
  writeFileSync(second, readFileSync(first));
  expect(await exportKey(open(OLD), clientOf(2))).toBeUndefined();
  await expect(open(OLD).loadOrCreate([clientOf(2)])).rejects.toThrow('cannot encrypt or decrypt');
  writeFileSync(first, 'nothing');
  expect(await exportKey(open(OLD), clientOf(1))).toBeUndefined();
});

it('destroys a key for ever', async () => {
  const keys = open(OLD);
  await keys.create(clientOf(1));
  await keys.destroy([clientOf(1)]);
  await keys.destroy([clientOf(1)]);
  expect(await exportKey(keys, clientOf(1))).toBeUndefined();
  expect(await exportKey(open(OLD), clientOf(1))).toBeUndefined();
  expect(await open(OLD).create(clientOf(1))).toBe(false);
  await expect(open(OLD).loadOrCreate([clientOf(1)])).rejects.toThrow('has been erased');
  expect((await open(OLD).loadOrCreate([clientOf(1)], { ignoreDestroyed: true })).size).toBe(0);
  expect(listFiles()).toEqual([join('client', '001', '1.destroyed')]);
});

it('a destroyed key does not come back with a rotation that has read it before', async () => {
  const store = new DirectoryKeyStore(directory);
  const ring = new KeyRing([OLD]);
  await open(OLD).create(clientOf(1));
  const wrapped = (await store.read(clientOf(1))) as WrappedKey;
  await store.destroy(clientOf(1));
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
  for (let id = 1; id <= 40; id += 1) await keys.create(clientOf(id));
  const before = await exportKey(keys, clientOf(33));
  const ring = open(NEW, OLD);
  expect(await ring.rotate()).toEqual({ done: 0, rewrapped: 40, failed: 0 });
  expect(await ring.rotate()).toEqual({ done: 40, rewrapped: 0, failed: 0 });
  expect(await exportKey(open(NEW), clientOf(33))).toEqual(before);
  expect(await exportKey(open(OLD), clientOf(33))).toBeUndefined();
});

it('reports keys that the ring cannot unwrap, and rotates the others', async () => {
  await open(OLD).create(clientOf(1));
  await open(NEW).create(clientOf(2));
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
  await expect(keys.create(clientOf(1))).rejects.toMatchObject({ code: 'keys-unavailable' });
});
