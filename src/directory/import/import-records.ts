import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { Violation } from '../../shared/errors/index.js';
import type { Line } from '../../shared/http/index.js';
import { inSavepoint, type TenantEntityManager } from '../../shared/persistence/index.js';
import type { ImportResult } from '../dto/imports.js';
import { LineReader, refused, type ImportRecord, type Keyed } from './line-reader.js';

/** Lines that are written together: bounds the length of statements. */
const CHUNK = 500;
/** Lines that are read before other requests have their turn: some milliseconds. */
const SLICE = 100;
/** How often somebody else may make one of the same records just before us. */
const ATTEMPTS = 3;

type Row = { id: number; externalId: string | null; active: boolean };

/** A line and its record, as it is stored at the end of its chunk. */
export type Entry<Data, R> = ImportRecord<Data> & {
  row: R;
  status: 'created' | 'replaced' | 'unchanged';
  /** This line made an active record inactive. */
  left: boolean;
};

/** What differs between the kinds of record. All of it runs within the transaction of the import. */
export type ImportKind<Data extends Keyed, R extends Row> = {
  schema: z.ZodType<Data>;
  /** Lines that refer to something that is not there, by their external ids. */
  refuse?: (records: readonly Data[]) => Promise<ReadonlyMap<string, readonly Violation[]>>;
  /** The records that are there, locked; throws when the caller may not import at all. */
  find: (externalIds: string[]) => Promise<R[]>;
  create: (data: Data) => R;
  replace: (row: R, data: Data) => void;
  /** What else comes of the lines, once their records are written. */
  settle?: (entries: readonly Entry<Data, R>[]) => Promise<void>;
};

/**
 * Makes or replaces a record for each line, and tells for each what became of it. An import is one transaction: one
 * that was broken off has stored nothing, and is sent again.
 */
export async function importRecords<Data extends Keyed, R extends Row>(
  em: TenantEntityManager,
  lines: readonly Line[],
  kind: ImportKind<Data, R>,
): Promise<ImportResult[]> {
  const reader = new LineReader(kind.schema);
  const read: ReturnType<typeof reader.read>[] = [];
  for (const line of lines) {
    read.push(reader.read(line));
    if (read.length % SLICE === 0) await setImmediate();
  }
  // In one order for all: two imports that make the same records must not wait for each other in a circle.
  const records = read.filter((one) => 'data' in one).sort(byExternalId);
  const stored = new Map<number, ImportResult>();
  await em.transactional(async () => {
    for (const chunk of chunksOf(records)) {
      const results = await retrying(() => inSavepoint(em, () => store(em, chunk, kind)));
      for (const [line, result] of results) stored.set(line, result);
      // The unit of work would look for changes of all that has been written so far, chunk after chunk.
      em.clear();
    }
  });
  return read.map((one) => ('data' in one ? stored.get(one.line)! : one));
}

/** At least one, so that an import without lines is refused to whom any import is refused. */
function* chunksOf<T>(lines: readonly T[]): Iterable<readonly T[]> {
  let start = 0;
  do {
    yield lines.slice(start, start + CHUNK);
    start += CHUNK;
  } while (start < lines.length);
}

async function store<Data extends Keyed, R extends Row>(
  em: TenantEntityManager,
  records: readonly ImportRecord<Data>[],
  kind: ImportKind<Data, R>,
): Promise<Map<number, ImportResult>> {
  const refusals = (await kind.refuse?.(records.map(({ data }) => data))) ?? new Map<string, readonly Violation[]>();
  const usable = records.filter(({ data }) => !refusals.has(data.externalId));
  const rows = await kind.find(usable.map(({ data }) => data.externalId));
  const byKey = new Map(rows.map((row) => [row.externalId, row]));
  const entries = usable.map((record) => entryOf(record, byKey.get(record.data.externalId), kind));
  await em.persist<object>(entries.filter(({ status }) => status === 'created').map(({ row }) => row)).flush();
  await kind.settle?.(entries);
  const results = records.map(({ line, data }) => refused(line, refusals.get(data.externalId) ?? []));
  return new Map<number, ImportResult>([...results, ...entries.map(resultOf)].map((result) => [result.line, result]));
}

function entryOf<Data extends Keyed, R extends Row>(
  record: ImportRecord<Data>,
  existing: R | undefined,
  { create, replace }: ImportKind<Data, R>,
): Entry<Data, R> {
  if (existing === undefined) return { ...record, row: create(record.data), status: 'created', left: false };
  const wasActive = existing.active;
  const before = Object.entries(existing);
  replace(existing, record.data);
  const isSame = before.every(([field, value]) => Reflect.get(existing, field) === value);
  const left = wasActive && !existing.active;
  return { ...record, row: existing, status: isSame ? 'unchanged' : 'replaced', left };
}

function resultOf<Data extends Keyed, R extends Row>({ line, data, row, status }: Entry<Data, R>): ImportResult {
  return { line, status, externalId: data.externalId, id: row.id };
}

function byExternalId(left: ImportRecord<Keyed>, right: ImportRecord<Keyed>): number {
  return left.data.externalId < right.data.externalId ? -1 : 1;
}

/** Whoever makes a record that somebody else makes at the same moment finds it there the next time. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException) || attempt === ATTEMPTS) throw error;
    }
  }
}
