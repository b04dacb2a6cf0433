import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { getRecordId, type ClientPrincipal, type ClinicPrincipal } from '../../shared/access/index.js';
import { formatInstant, concatenateAndConditions, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { openSyncPass, type SyncChanges, type SyncPass } from '../../shared/validation/index.js';
import { seriesOfChangedSessionsSql, sumOfSessionVersionsSql } from '../scheduling/changed-series.sql.js';
import { pickHomeworkFilters, type HomeworkQuery } from './dto/homework-model.js';
import type { HomeworkScope } from './homework-list.sql.js';

/** A series and the time at which some of its homework changed. */
type ChangedSeries = { at: Temporal.Instant; id: string };
type SeriesRow = { at: number; id: string };
type HomeworkRow = { at: number; seriesId: string; id: string; version: number };

/** Number of series whose homework is read in the first step. */
const FIRST_SERIES = 4;
/** Takes the place of the homework ID in a paging key. It sorts after all homework of the series. */
const END = Number.MAX_SAFE_INTEGER;
/** Paging key for homework whose changes have the same time: the ID of the series and the ID of the homework. */
const passKey = z.string().regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}:\d{1,16}$/);

export const toHomeworkSyncKey = ({ seriesId, id }: { seriesId: string; id: number }): string => `${seriesId}:${id}`;

export function parseHomeworkSyncKey(key: string): { seriesId: string; id: number } {
  const [seriesId, id] = key.split(':') as [string, string];
  return { seriesId, id: Number(id) };
}

/** Finds the changes in a list of homework since a sync token was issued. */
@Injectable()
export class HomeworkSyncReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts or continues the synchronisation that a query requests, or returns undefined if it requests none. Call this
   * before the first statement of the transaction, so that no change is missed.
   */
  openPass(caller: ClientPrincipal | ClinicPrincipal, query: HomeworkQuery): SyncPass<string> | undefined {
    const list = ['homework', caller.role, getRecordId(caller)];
    const scope = { list, filters: pickHomeworkFilters(query), defaultSort: 'startsAt', key: passKey };
    return openSyncPass(query, scope, this.clock.now());
  }

  /**
   * Finds the changed homework of one page. If one Session changes, the due dates of homework in its whole series can
   * change, so all homework of the series counts as changed.
   */
  async findChanges(
    scope: HomeworkScope,
    query: HomeworkQuery,
    pass: SyncPass<string>,
  ): Promise<SyncChanges<number, string>> {
    const { limit } = query;
    const found = await this.findChangedSeries(scope, query, pass);
    const series = found.slice(0, limit);
    const rows: HomeworkRow[] = [];
    // A few series are usually enough to fill a page. The homework of further series is read only if they are not.
    for (let from = 0, size = FIRST_SERIES; from < series.length && rows.length <= limit; from += size, size *= 4)
      rows.push(...(await this.findHomework(scope, query, series.slice(from, from + size), pass)));
    const changed = rows.slice(0, limit).map(({ id, version }) => ({ id: Number(id), version }));
    if (rows.length > limit) return { changed, next: toPosition(rows[limit - 1]!) };
    const last = found.length > limit ? series.at(-1)! : undefined;
    return { changed, next: last && { at: last.at, id: toHomeworkSyncKey({ seriesId: last.id, id: END }) } };
  }

  /** Finds the changed series of a page and one more series, which shows whether there are further changes. */
  private async findChangedSeries(
    scope: HomeworkScope,
    query: HomeworkQuery,
    pass: SyncPass<string>,
  ): Promise<ChangedSeries[]> {
    const { clinicId } = scope;
    const ofClients = (table: string) => clientCondition(scope, query, sql.ref(`${table}.client_id`));
    const parts = [
      seriesOfChangedSessionsSql(
        clinicId,
        sql`${ofClients('s')} ${fromSeries(sql`s.updated_at`, sql`s.series_id`, pass)}`,
      ),
      sql`
        select distinct r.removed_at as at, r.series_id as id from removed_homework r
        where r.clinic_id = ${clinicId} ${ofClients('r')} ${fromSeries(sql`r.removed_at`, sql`r.series_id`, pass)}`,
    ].map((part) => sql`(${part} order by 1, 2 limit ${query.limit + 1})`);
    const { rows } = await sql<SeriesRow>`
      select (extract(epoch from at) * 1000)::float8 as at, id from (${sql.join(parts, sql` union `)}) as change
      order by change.at, change.id limit ${query.limit + 1}`.execute(this.em.getKysely());
    return rows.map(({ at, id }) => ({ at: toInstant(at), id }));
  }

  /**
   * Finds the homework of the changed series, including removed homework, that follows the end of the previous page.
   */
  private async findHomework(
    scope: HomeworkScope,
    query: HomeworkQuery,
    series: readonly ChangedSeries[],
    { since, after }: SyncPass<string>,
  ): Promise<HomeworkRow[]> {
    if (series.length === 0) return [];
    const { clinicId } = scope;
    const { sessionId, bookId } = pickHomeworkFilters(query);
    const filters = concatenateAndConditions([
      sessionId && sql`and h.session_id = any(${sessionId}::bigint[])`,
      bookId && sql`and h.book_id = any(${bookId}::bigint[])`,
    ]);
    const { rows } = await sql<HomeworkRow>`
      with changed as (
        select * from unnest(${series.map(({ at }) => formatInstant(at))}::timestamptz[], ${series.map(({ id }) => id)}::uuid[])
          as changed (at, series_id)
      ), found as (
        select changed.at, changed.series_id, h.id, h.version
        from changed join session m on m.clinic_id = ${clinicId} and m.series_id = changed.series_id
          join homework h on h.clinic_id = m.clinic_id and h.session_id = m.id
        where true ${filters}
        union all
        select changed.at, changed.series_id, r.homework_id, r.version
        from changed join removed_homework r on r.clinic_id = ${clinicId} and r.series_id = changed.series_id
        where r.removed_at >= ${formatInstant(since!)}::timestamptz
      )
      select (extract(epoch from at) * 1000)::float8 as at, series_id as "seriesId", id,
        version + ${sumOfSessionVersionsSql(clinicId, sql`found.series_id`)} as version
      from (select * from found ${after === undefined ? sql`` : afterHomework(after)}
        order by at, series_id, id limit ${query.limit + 1}) as found
      order by found.at, found.series_id, found.id`.execute(this.em.getKysely());
    return rows;
  }
}

/** Builds the condition that restricts the list to certain Clients. */
function clientCondition(
  { ownerId }: HomeworkScope,
  query: HomeworkQuery,
  column: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { clientId } = pickHomeworkFilters(query);
  return concatenateAndConditions([
    ownerId === undefined ? undefined : sql`and ${column} = ${ownerId}`,
    clientId && sql`and ${column} = any(${clientId}::bigint[])`,
  ]);
}

/**
 * Builds the condition for the changed series that are still to be read. The last series of the previous page is
 * included unless all its homework was returned.
 */
function fromSeries(
  at: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  { since, after }: SyncPass<string>,
): RawBuilder<unknown> {
  const range = sql`and ${at} >= ${formatInstant(since!)}::timestamptz`;
  if (after === undefined) return range;
  const position = parseHomeworkSyncKey(after.id);
  const beyond = position.id === END ? sql`>` : sql`>=`;
  return sql`${range} and (${at}, ${id}) ${beyond} (${formatInstant(after.at)}::timestamptz, ${position.seriesId}::uuid)`;
}

function afterHomework({ at, id: key }: { at: Temporal.Instant; id: string }): RawBuilder<unknown> {
  const { seriesId, id } = parseHomeworkSyncKey(key);
  return sql`where (at, series_id, id) > (${formatInstant(at)}::timestamptz, ${seriesId}::uuid, ${id}::bigint)`;
}

function toPosition({ at, seriesId, id }: HomeworkRow): { at: Temporal.Instant; id: string } {
  return { at: toInstant(at), id: toHomeworkSyncKey({ seriesId, id: Number(id) }) };
}

const toInstant = (milliseconds: number) => Temporal.Instant.fromEpochMilliseconds(Math.round(milliseconds));
