import { UniqueConstraintViolationException, type EntityClass, type FindOptions } from '@mikro-orm/core';
import { ServiceUnavailableException } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { splitIntoBatches } from '../../shared/batches.js';
import type { Violation } from '../../shared/errors/index.js';
import type { NdjsonRequest } from '../../shared/http/index.js';
import {
  assertTransactionNotTooLong,
  ERASED_TEXT_PLACEHOLDER,
  inSavepoint,
  UNTRACKED,
  type TenantEntityManager,
  type TenantFilter,
} from '../../shared/persistence/index.js';
import type { ImportLineResult } from '../dto/import-model.js';
import { indexByExternalId, type FoundRecord } from '../lookup/external-ids.js';
import { FOR_UPDATE } from '../record/record-queries.js';
import { ImportLineParser, toRefusedLine, type ImportLine, type WithExternalId } from './import-line-parser.js';

/** Number of lines that are processed and written together. */
const CHUNK_SIZE = 500;
/** Number of lines, and of their bytes, after which the event loop runs other work. */
const MAX_PER_TURN = { lines: 100, bytes: 65_536 };
/** Maximum number of attempts to write a chunk while other transactions create some of the same records. */
const MAX_ATTEMPTS = 3;
const ERASED_RECORD = { pointer: '/externalId', detail: 'is that of a record whose data was erased' };
const ONLY_ID = { ...UNTRACKED, fields: ['id'] } as const;

type StoredRecord = { id: number; externalId: string | null; active: boolean };

/** A line, and the record that it creates or replaces. */
export type ImportEntry<Data, R> = ImportLine<Data> & {
  row: R;
  status: 'created' | 'replaced' | 'unchanged';
  /** Whether the line has deactivated an active record. */
  isDeactivated: boolean;
};

/** The parts of an import that depend on the kind of record. All functions run in the transaction of the import. */
type ImportStrategy<Data extends WithExternalId, R extends StoredRecord> = {
  schema: z.ZodType<Data>;
  entity: EntityClass<R>;
  /** Finds existing records. Throws if the caller may not import. */
  find: (externalIds: readonly string[]) => Promise<FoundRecord[]>;
  idFilter: (ids: number[]) => TenantFilter<R>;
  /** Locks the records to which the lines and the existing records refer. Called once, before any record is locked. */
  lockReferences?: (lines: readonly Data[], existingIds: readonly number[]) => Promise<void>;
  /** Returns violations, keyed by the external ID of the line, for lines that refer to unknown records. */
  findViolations?: (records: readonly Data[]) => ReadonlyMap<string, readonly Violation[]>;
  create: (data: Data) => R;
  replace: (row: R, data: Data) => void;
  /** Called after the records of a chunk have been written. */
  afterWrite?: (entries: readonly ImportEntry<Data, R>[]) => Promise<void>;
  /** Handles the records that the import has deactivated. Without it, nothing depends on them. */
  deactivation?: ImportedDeactivation;
};

/** Functions that are called after the records of all chunks have been written. */
export type ImportedDeactivation = {
  /** Called once for all records. */
  lock: (ids: readonly number[]) => Promise<void>;
  /** Called for one chunk of the records at a time. */
  publish: (ids: readonly number[]) => Promise<void>;
};

/** The result of the import of a chunk. */
type ChunkOutcome = { results: Map<number, ImportLineResult>; deactivatedIds: number[] };

/**
 * Creates or replaces one record per line, and returns one result per line. The import is a single transaction: if it
 * fails, nothing is stored and the import can be sent again. An import whose client has closed the connection fails.
 */
export async function importRecords<Data extends WithExternalId, R extends StoredRecord>(
  em: TenantEntityManager,
  { lines, isAbandoned }: NdjsonRequest,
  kind: ImportStrategy<Data, R>,
): Promise<ImportLineResult[]> {
  const read = await parseLines(lines, new ImportLineParser(kind.schema));
  // Sorts the lines so that two imports of the same new records create them in the same order and cannot deadlock.
  const records = read.filter((one) => 'data' in one).sort(compareExternalIds);
  const stored = new Map<number, ImportLineResult>();
  const deactivatedIds: number[] = [];
  const assertMayContinue = () => {
    if (isAbandoned()) throw new ServiceUnavailableException();
    assertTransactionNotTooLong(em);
  };
  await em.transactional(async () => {
    const parsed = records.map(({ data }) => data);
    const externalIds = parsed.map(({ externalId }) => externalId);
    const existingIds = (await findInChunks(externalIds, kind.find)).map(({ id }) => id);
    await kind.lockReferences?.(parsed, existingIds);
    await lockRecords(em, existingIds, kind);
    for (const chunk of splitIntoBatches(records, CHUNK_SIZE)) {
      assertMayContinue();
      const outcome = await retryOnUniqueViolation(() => inSavepoint(em, () => importChunk(em, chunk, kind)));
      for (const [line, result] of outcome.results) stored.set(line, result);
      deactivatedIds.push(...outcome.deactivatedIds);
      // Without this, each flush would also check the entities of all previous chunks for changes.
      em.clear();
    }
    if (kind.deactivation !== undefined && deactivatedIds.length > 0)
      await publishDeactivations(deactivatedIds, kind.deactivation, assertMayContinue);
  });
  return read.map((one) => ('data' in one ? stored.get(one.line)! : one));
}

/** All deactivated records are locked before the first is handled, so that other transactions cannot deadlock. */
async function publishDeactivations(
  ids: readonly number[],
  { lock, publish }: ImportedDeactivation,
  assertMayContinue: () => void,
): Promise<void> {
  await lock(ids);
  for (const chunk of splitIntoBatches(ids, CHUNK_SIZE)) {
    assertMayContinue();
    await publish(chunk);
  }
}

async function parseLines<Data extends WithExternalId>(
  lines: NdjsonRequest['lines'],
  parser: ImportLineParser<Data>,
): Promise<ReturnType<typeof parser.parse>[]> {
  const parsed: ReturnType<typeof parser.parse>[] = [];
  const turn = { lines: 0, bytes: 0 };
  for (const line of lines) {
    parsed.push(parser.parse(line));
    turn.lines += 1;
    turn.bytes += line.bytes.length;
    if (turn.lines < MAX_PER_TURN.lines && turn.bytes < MAX_PER_TURN.bytes) continue;
    await setImmediate();
    Object.assign(turn, { lines: 0, bytes: 0 });
  }
  return parsed;
}

/**
 * Finds what belongs to values, one chunk of them at a time. Calls `find` even if there are no values, because it checks
 * the caller.
 */
export async function findInChunks<T, Found>(
  values: readonly T[],
  find: (chunk: readonly T[]) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const found: Found[] = [];
  const chunks = values.length === 0 ? [[]] : splitIntoBatches(values, CHUNK_SIZE);
  for (const chunk of chunks) found.push(...(await find(chunk)));
  return found;
}

/**
 * Locks the existing records of all lines in the order of their IDs. If each chunk only locked its own records, two
 * imports with different lines could deadlock.
 */
async function lockRecords<Data extends WithExternalId, R extends StoredRecord>(
  em: TenantEntityManager,
  ids: readonly number[],
  { entity, idFilter }: ImportStrategy<Data, R>,
): Promise<void> {
  // The compiler cannot know the fields of a type parameter.
  const options = { ...ONLY_ID, ...FOR_UPDATE } as unknown as FindOptions<R>;
  const sorted = ids.toSorted((a, b) => a - b);
  for (const chunk of splitIntoBatches(sorted, CHUNK_SIZE)) await em.find(entity, idFilter(chunk), options);
}

async function importChunk<Data extends WithExternalId, R extends StoredRecord>(
  em: TenantEntityManager,
  records: readonly ImportLine<Data>[],
  kind: ImportStrategy<Data, R>,
): Promise<ChunkOutcome> {
  const byKey = await findExisting(em, records, kind);
  const refusals = new Map([
    ...(kind.findViolations?.(records.map(({ data }) => data)) ?? []),
    ...findErasedViolations(byKey),
  ]);
  const usable = records.filter(({ data }) => !refusals.has(data.externalId));
  const entries = usable.map((record) => toEntry(record, byKey.get(record.data.externalId), kind));
  await em.persist<object>(entries.filter(({ status }) => status === 'created').map(({ row }) => row)).flush();
  await kind.afterWrite?.(entries);
  const refused = records.flatMap(({ line, data: { externalId } }) => {
    const violations = refusals.get(externalId);
    return violations === undefined ? [] : [toRefusedLine(line, violations)];
  });
  const results = [...refused, ...entries.map(toResult)];
  return {
    results: new Map<number, ImportLineResult>(results.map((result) => [result.line, result])),
    deactivatedIds: entries.filter(({ isDeactivated }) => isDeactivated).map(({ row }) => row.id),
  };
}

/** Locks the existing records of the lines, and returns them by their external IDs. */
async function findExisting<Data extends WithExternalId, R extends StoredRecord>(
  em: TenantEntityManager,
  records: readonly ImportLine<Data>[],
  { entity, find, idFilter }: ImportStrategy<Data, R>,
): Promise<Map<string, R>> {
  const found = await find(records.map(({ data }) => data.externalId));
  const rows: R[] = await em.find(entity, idFilter(found.map(({ id }) => id)), FOR_UPDATE);
  return indexByExternalId(rows, found);
}

/** A database that was restored from a backup can have a record whose key an erasure has destroyed since. */
function findErasedViolations(records: ReadonlyMap<string, StoredRecord>): [string, readonly Violation[]][] {
  return [...records]
    .filter(([given, { externalId }]) => externalId === ERASED_TEXT_PLACEHOLDER && externalId !== given)
    .map(([given]) => [given, [ERASED_RECORD]]);
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
}: ImportEntry<Data, R>): ImportLineResult {
  return { line, status, externalId: data.externalId, id: row.id };
}

function compareExternalIds(left: ImportLine<WithExternalId>, right: ImportLine<WithExternalId>): number {
  return left.data.externalId < right.data.externalId ? -1 : 1;
}

/** Retries the work if another transaction has created one of the records. The next attempt finds that record. */
async function retryOnUniqueViolation<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
