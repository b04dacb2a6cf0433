import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import pg, { type Client } from 'pg';
import { from, to } from 'pg-copy-streams';
import { CommandError } from '../command-error.js';
import type { BackupTable } from './catalog.js';

/** The number of rows in a table, and the SHA-256 hash of the rows in COPY format, sorted by primary key. */
type TableChecksum = { rows: number; sha256: string };

/** Copies a table to a new file, which contains health data and is therefore readable only by the owner of the file. */
export async function copyTableToFile(client: Client, table: BackupTable, file: string): Promise<TableChecksum> {
  const source = client.query(to(createCopyStatement(table)));
  const hash = createHash('sha256');
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(source, createHashTransform(hash), createGzip(), target);
  return { rows: source.rowCount, sha256: hash.digest('hex') };
}

/** Yields the rows of a table in COPY format, and returns their number and hash. */
export async function* readTableRows(client: Client, table: BackupTable): AsyncGenerator<Buffer, TableChecksum> {
  const source = client.query(to(createCopyStatement(table)));
  const hash = createHash('sha256');
  for await (const chunk of source) {
    hash.update(chunk as Buffer);
    yield chunk as Buffer;
  }
  return { rows: source.rowCount, sha256: hash.digest('hex') };
}

/** Reads all rows of a table, and returns their number and hash. */
export async function computeTableChecksum(client: Client, table: BackupTable): Promise<TableChecksum> {
  const rows = readTableRows(client, table);
  for (;;) {
    const { done, value } = await rows.next();
    if (done) return value;
  }
}

/** Inserts rows in COPY format into a table, also rows that do not meet its condition. @returns their number */
export async function insertTableRows(
  client: Client,
  table: BackupTable,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  const target = client.query(from(createInsertStatement(table)));
  await pipeline(rows, target);
  return target.rowCount;
}

/**
 * Inserts the rows from a file into a table.
 *
 * @throws CommandError if the file is missing or damaged; the PostgreSQL error if the server refuses a row; the error of
 *   the connection if it is lost
 */
export async function copyFileToTable(client: Client, table: BackupTable, file: string): Promise<void> {
  const target = client.query(from(createInsertStatement(table)));
  try {
    await pipeline(createReadStream(file), createGunzip(), target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The error of a lost connection has no code.
    if (error instanceof pg.DatabaseError || code === undefined) throw error;
    throw new CommandError(`${file} cannot be read (${code}).`);
  }
}

export function quoteName({ name }: { name: string }): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function createCopyStatement({ name, columns, condition = 'true', order }: BackupTable): string {
  return `copy (select ${columns.join(', ')} from ${quoteName({ name })} where ${condition} order by ${order}) to stdout`;
}

function createInsertStatement({ name, columns }: BackupTable): string {
  return `copy ${quoteName({ name })} (${columns.join(', ')}) from stdin`;
}

function createHashTransform(hash: Hash) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
}
