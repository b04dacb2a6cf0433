import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEncrypter, createIdentityFile, requireWritable, writeEncryptedFile } from './encrypted-file.js';

const folder = mkdtempSync(join(tmpdir(), 'care-encrypted-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function* frames(until: Promise<unknown> = Promise.resolve()): AsyncGenerator<Buffer> {
  yield Buffer.alloc(100_000);
  await until;
}

const encrypter = createEncrypter(await identityToRecipient(await generateX25519Identity()));

it('refuses a second export to a file that is being written, and leaves the first one alone', async () => {
  const file = join(folder, 'two.age');
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const first = writeEncryptedFile(file, encrypter, frames(promise));
  while (!existsSync(`${file}.partial`)) await new Promise((wait) => setTimeout(wait, 1));
  const refusal = `${file}.partial exists. If no other export is writing it, delete it and try again.`;
  await expect(requireWritable(file)).rejects.toThrow(refusal);
  await expect(writeEncryptedFile(file, encrypter, frames())).rejects.toThrow(refusal);
  resolve(undefined);
  await first;
  expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([true, false]);
  await expect(requireWritable(file)).rejects.toThrow(`${file} exists.`);
});

it('leaves no file if the frames fail', async () => {
  const file = join(folder, 'failed.age');
  await requireWritable(file);
  await expect(writeEncryptedFile(file, encrypter, frames(Promise.reject(new Error('lost'))))).rejects.toThrow('lost');
  expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([false, false]);
});

it('tells why a file cannot be written', async () => {
  const parent = join(folder, 'no-folder');
  writeFileSync(parent, '');
  const refusal = new Error(`${parent}/x cannot be written (ENOTDIR).`);
  await expect(requireWritable(join(parent, 'x'))).rejects.toThrow(refusal);
  await expect(createIdentityFile(join(parent, 'x'))).rejects.toThrow(refusal);
});
