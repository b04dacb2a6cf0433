import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { createGunzip, createGzip } from 'node:zlib';
import { CommandError } from '../command-error.js';
import { decodeFrames, type MoveFrame } from './frames.js';

/* Files in the format of age (age-encryption.org/v1), so that `age` itself can read them as well. */

/** @throws CommandError if the text is not a public key in the format of age */
export function createEncrypter(recipient: string): Encrypter {
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch {
    throw new CommandError('--recipient must be a public key of age, such as age1…');
  }
  return encrypter;
}

/** @throws CommandError if the file exists */
export function requireNoFile(file: string): void {
  if (existsSync(file)) throw new CommandError(`${file} exists.`);
}

/** @throws CommandError if the file exists, is being written, or cannot be written */
export async function requireWritable(file: string): Promise<void> {
  requireNoFile(file);
  const handle = await createPartialFile(file);
  await handle.close();
  await rm(toPartialName(file));
}

const toPartialName = (file: string) => `${file}.partial`;

/** Creates the temporary file, which must not exist, because two exports that write one file would damage it. */
async function createPartialFile(file: string): Promise<FileHandle> {
  const partial = toPartialName(file);
  try {
    return await open(partial, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new CommandError(`${file} cannot be written (${code}).`);
    throw new CommandError(`${partial} exists. If no other export is writing it, delete it and try again.`);
  }
}

/**
 * Writes frames to a temporary file, which gets its final name once it is complete.
 *
 * @throws CommandError if the temporary file exists, or cannot be written
 */
export async function writeEncryptedFile(
  file: string,
  encrypter: Encrypter,
  frames: AsyncIterable<Buffer>,
): Promise<void> {
  const handle = await createPartialFile(file);
  const partial = toPartialName(file);
  try {
    const content = createGzip();
    // An error of the frames ends the target as well.
    Readable.from(frames, { objectMode: false })
      .on('error', (error) => content.destroy(error))
      .pipe(content);
    const encrypted = await encrypter.encrypt(Readable.toWeb(content) as ReadableStream<Uint8Array>);
    await pipeline(
      Readable.fromWeb(encrypted as unknown as NodeReadableStream),
      handle.createWriteStream({ flush: true }),
    );
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Reads the frames of a file.
 *
 * @throws CommandError if the file is encrypted for another key, damaged or incomplete
 */
export async function* readEncryptedFile(file: string, decrypter: Decrypter): AsyncGenerator<MoveFrame, void> {
  const source = createReadStream(file);
  try {
    const encrypted = Readable.toWeb(source) as ReadableStream<Uint8Array>;
    const decrypted = await decrypter.decrypt(encrypted).catch((error: unknown) => {
      throw toReadError(file, error);
    });
    const compressed = Readable.fromWeb(decrypted);
    const content = createGunzip();
    // An error of the source ends the iteration of the target.
    compressed.on('error', (error) => content.destroy(error));
    yield* decodeFrames(compressed.pipe(content));
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(`${file} is damaged or incomplete.`);
  } finally {
    source.destroy();
  }
}

function toReadError(file: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined) return new CommandError(`${file} cannot be read (${code}).`);
  if (/no identity matched/i.test(message)) return new CommandError(`The identity does not fit to ${file}.`);
  return new CommandError(`${file} is damaged or incomplete.`);
}

/**
 * Reads the private key of a file that `age-keygen` or `createIdentityFile` has written.
 *
 * @throws CommandError if the file cannot be read, or has no private key
 */
export function readIdentityFile(file: string): Decrypter {
  const decrypter = new Decrypter();
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    decrypter.addIdentity(lines.find((line) => line.startsWith('AGE-SECRET-KEY-'))!.trim());
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) throw new CommandError(`${file} cannot be read (${code}).`);
    throw new CommandError(`${file} has no private key of age.`);
  }
  return decrypter;
}

/**
 * Writes a new private key to a new file, readable only by its owner.
 *
 * @returns the public key
 * @throws CommandError if the file exists, or cannot be written
 */
export async function createIdentityFile(file: string): Promise<string> {
  requireNoFile(file);
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  try {
    writeFileSync(file, `# public key: ${recipient}\n${identity}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    throw new CommandError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
  return recipient;
}
