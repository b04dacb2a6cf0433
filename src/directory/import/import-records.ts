import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { Violation } from '../../shared/errors/index.js';
import type { NdjsonLine } from '../../shared/http/index.js';
import { inSavepoint, type TenantEntityManager } from '../../shared/persistence/index.js';
import type { ImportResult } from '../dto/import-model.js';
import { ImportLineParser, toRefusedLine, type ImportLine, type WithExternalId } from './import-line-parser.js';

/** Lines that are written together: bounds the length of statements. */
const CHUNK_SIZE = 500;
/** Lines that are read before other requests have their turn: some milliseconds. */
const LINES_PER_TURN = 100;
/** How often somebody else may make one of the same records just before us. */
const MAX_ATTEMPTS = 3;

type StoredRecord = { id: number; externalId: string | null; active: boolean };

/** A line and its record, as it is stored at the end of its chunk. */
export type ImportEntry<Data, R> = ImportLine<Data> & {
  row: R;
  status: 'created' | 'replaced' | 'unchanged';
  /** This line made an active record inactive. */
  isDeactivated: boolean;
};

/** What differs between the kinds of record. All of it runs within the transaction of the import. */
export type ImportStrategy<Data extends WithExternalId, R extends StoredRecord> = {
  schema: z.ZodType<Data>;
  /** Lines that refer to something that is not there, by their external ids. */
  findViolations?: (records: readonly Data[]) => Promise<ReadonlyMap<string, readonly Violation[]>>;
  /** The records that are there, locked; throws when the caller may not import at all. */
  find: (externalIds: string[]) => Promise<R[]>;
  create: (data: Data) => R;
  replace: (row: R, data: Data) => void;
  /** What else comes of the lines, once their records are written. */
  afterWrite?: (entries: readonly ImportEntry<Data, R>[]) => Promise<void>;
};

/**
 * Makes or replaces a record for each line, and tells for each what became of it. An import is one transaction: one
 * that was broken off has stored nothing, and is sent again.
 */
export async function importRecords<Data extends WithExternalId, R extends StoredRecord>(
  em: TenantEntityManager,
  lines: readonly NdjsonLine[],
  kind: ImportStrategy<Data, R>,
): Promise<ImportResult[]> {
  const reader = new ImportLineParser(kind.schema);
  const read: ReturnType<typeof reader.parse>[] = [];
  for (const line of lines) {
    read.push(reader.parse(line));
    if (read.length % LINES_PER_TURN === 0) await setImmediate();
  }
  // In one order for all: two imports that make the same records must not wait for each other in a circle.
  const records = read.filter((one) => 'data' in one).sort(compareExternalIds);
  const stored = new Map<number, ImportResult>();
  await em.transactional(async () => {
    for (const chunk of splitIntoChunks(records)) {
      const results = await retryOnUniqueViolation(() => inSavepoint(em, () => importChunk(em, chunk, kind)));
      for (const [line, result] of results) stored.set(line, result);
      // The unit of work would look for changes of all that has been written so far, chunk after chunk.
      em.clear();
    }
  });
  return read.map((one) => ('data' in one ? stored.get(one.line)! : one));
}

/** At least one, so that an import without lines is refused to whom any import is refused. */
function* splitIntoChunks<T>(lines: readonly T[]): Iterable<readonly T[]> {
  let start = 0;
  do {
    yield lines.slice(start, start + CHUNK_SIZE);
    start += CHUNK_SIZE;
  } while (start < lines.length);
}

async function importChunk<Data extends WithExternalId, R extends StoredRecord>(
  em: TenantEntityManager,
  records: readonly ImportLine<Data>[],
  kind: ImportStrategy<Data, R>,
): Promise<Map<number, ImportResult>> {
  const refusals =
    (await kind.findViolations?.(records.map(({ data }) => data))) ?? new Map<string, readonly Violation[]>();
  const usable = records.filter(({ data }) => !refusals.has(data.externalId));
  const rows = await kind.find(usable.map(({ data }) => data.externalId));
  const byKey = new Map(rows.map((row) => [row.externalId, row]));
  const entries = usable.map((record) => toEntry(record, byKey.get(record.data.externalId), kind));
  await em.persist<object>(entries.filter(({ status }) => status === 'created').map(({ row }) => row)).flush();
  await kind.afterWrite?.(entries);
  const results = records.map(({ line, data }) => toRefusedLine(line, refusals.get(data.externalId) ?? []));
  return new Map<number, ImportResult>([...results, ...entries.map(toResult)].map((result) => [result.line, result]));
}

function toEntry<Data extends WithExternalId, R extends StoredRecord>(
  record: ImportLine<Data>,
  existing: R | undefined,
  { create, replace }: ImportStrategy<Data, R>,
): ImportEntry<Data, R> {
  if (existing === undefined) return { ...record, row: create(record.data), status: 'created', isDeactivated: false };
  const wasActive = existing.active;
  const before = Object.entries(existing);
  replace(existing, record.data);
  const isSame = before.every(([field, value]) => Reflect.get(existing, field) === value);
  const isDeactivated = wasActive && !existing.active;
  return { ...record, row: existing, status: isSame ? 'unchanged' : 'replaced', isDeactivated };
}

function toResult<Data extends WithExternalId, R extends StoredRecord>({
  line,
  data,
  row,
  status,
}: ImportEntry<Data, R>): ImportResult {
  return { line, status, externalId: data.externalId, id: row.id };
}

function compareExternalIds(left: ImportLine<WithExternalId>, right: ImportLine<WithExternalId>): number {
  return left.data.externalId < right.data.externalId ? -1 : 1;
}

/** Whoever makes a record that somebody else makes at the same moment finds it there the next time. */
async function retryOnUniqueViolation<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
