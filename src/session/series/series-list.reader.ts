import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { Directory } from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import {
  countRows,
  formatInstant,
  concatenateAndConditions,
  TenantEntityManager,
  UNTRACKED,
} from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import {
  countItemsIfRequested,
  parseCursor,
  takeSyncChanges,
  toPage,
  toSyncPage,
  type SyncPage,
  type SyncPass,
} from '../../shared/validation/index.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { visibleSessionsConditionSql } from '../scheduling/session-visibility.sql.js';
import { toSeriesSummary, type SeriesQuery, type SeriesSummary, type SeriesSessionSummary } from './dto/series-list.js';
import { SeriesSyncReader } from './series-sync.reader.js';

type SummaryRow = {
  seriesId: string;
  clientId: string;
  sessionCount: number;
  upcomingCount: number;
  nextId: string | null;
  nextAt: number | null;
  versions: number;
};

const seriesKey = z.tuple([z.uuid()]);

/** Lists the series that a caller may see, each with a summary of its Sessions. */
@Injectable()
export class SeriesListReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
    private readonly sync: SeriesSyncReader,
  ) {}

  /**
   * Returns series in the order of their creation or, for a synchronisation, the changes in this list. Series IDs are
   * UUIDs that begin with the creation time, so sorting by ID gives this order.
   */
  listSeries(caller: StaffPrincipal, query: SeriesQuery): Promise<SyncPage<SeriesSummary, string>> {
    return this.em.transactional(async () => {
      const pass = this.sync.openPass(caller, query);
      const { id: clinicId } = await this.directory.requireStaffClinic(caller);
      const listed = sql`
        from session_series series where series.clinic_id = ${clinicId} ${toFilter(query)} ${toAccess(caller, clinicId, query)}`;
      if (pass !== undefined) return this.readPass(caller, clinicId, listed, query, pass);
      const [after] = parseCursor(query.cursor, seriesKey, query.sort) ?? [];
      const ids = await this.findPageIds(listed, query, after);
      const items = await this.toItems(clinicId, ids);
      const page = toPage(
        ids,
        query.limit,
        (id) => [id],
        (id) => items.get(id)!,
        query.sort,
      );
      return {
        ...page,
        ...(await countItemsIfRequested(query.count, (maximum) => countRows(this.em, listed, maximum))),
      };
    });
  }

  private async readPass(
    caller: StaffPrincipal,
    clinicId: number,
    listed: RawBuilder<unknown>,
    query: SeriesQuery,
    pass: SyncPass<string>,
  ): Promise<SyncPage<SeriesSummary, string>> {
    if (pass.since === undefined) {
      // Without a token, the whole list is read. The next synchronisation returns changes that are made meanwhile.
      const ids = await this.findPageIds(listed, query, pass.after?.id);
      const items = await this.toItems(clinicId, ids);
      const rows = [...items.values()].map(({ id, version }) => ({ id, version, at: pass.startedAt }));
      return toSyncPage(pass, takeSyncChanges(rows, query.limit), items);
    }
    const changes = await this.sync.findChanges(caller, clinicId, query, pass);
    const ids = changes.changed.map(({ id }) => id);
    const { rows } = await sql<{ id: string }>`
      select series.id ${listed} and series.id = any(${ids}::uuid[])`.execute(this.em.getKysely());
    const items = await this.toItems(
      clinicId,
      rows.map(({ id }) => id),
    );
    return toSyncPage(pass, changes, items);
  }

  private async findPageIds(
    listed: RawBuilder<unknown>,
    { limit, sort }: SeriesQuery,
    after: string | undefined,
  ): Promise<string[]> {
    const isDescending = sort.direction === 'desc';
    const rest = after === undefined ? sql`` : sql`and series.id ${isDescending ? sql`<` : sql`>`} ${after}::uuid`;
    const { rows } = await sql<{ id: string }>`
      select series.id ${listed} ${rest} order by series.id ${isDescending ? sql`desc` : sql`asc`}
      limit ${limit + 1}`.execute(this.em.getKysely());
    return rows.map(({ id }) => id);
  }

  /** @returns the summaries of the series, keyed by ID, in the given order */
  private async toItems(clinicId: number, ids: readonly string[]): Promise<Map<string, SeriesSummary>> {
    const summaries = await this.summarize(clinicId, ids);
    const found = await this.em.find(SessionSeries, { clinicId, id: { $in: [...ids] } }, UNTRACKED);
    const byId = new Map(found.map((series) => [series.id, series]));
    return new Map(ids.map((id) => [id, toSeriesSummary(byId.get(id)!, summaries.get(id)!)]));
  }

  private async summarize(clinicId: number, ids: readonly string[]): Promise<Map<string, SeriesSessionSummary>> {
    const now = sql`${formatInstant(this.clock.now())}::timestamptz`;
    // This condition must agree with `Session.isUpcoming`.
    const upcoming = sql`(status = 'PAUSED' or (status = 'SCHEDULED' and starts_at > ${now}))`;
    const { rows } = await sql<SummaryRow>`
      select series_id as "seriesId", min(client_id) as "clientId",
        (count(*) filter (where status <> 'CANCELLED'))::int as "sessionCount",
        (count(*) filter (where ${upcoming}))::int as "upcomingCount",
        (array_agg(id order by starts_at, id) filter (where ${upcoming}))[1] as "nextId",
        (extract(epoch from min(starts_at) filter (where ${upcoming})) * 1000)::float8 as "nextAt",
        sum(version)::int as versions
      from session where clinic_id = ${clinicId} and series_id = any(${[...ids]}::uuid[])
      group by series_id`.execute(this.em.getKysely());
    return new Map(rows.map((row) => [row.seriesId, toSessionSummary(row)]));
  }
}

function toSessionSummary(row: SummaryRow): SeriesSessionSummary {
  const { clientId, sessionCount, upcomingCount, nextId, nextAt, versions } = row;
  const startsAt = nextAt === null ? null : Temporal.Instant.fromEpochMilliseconds(Math.round(nextAt));
  return {
    ...{ clientId: Number(clientId), sessionCount, upcomingCount, versions },
    next: nextId === null || startsAt === null ? null : { id: Number(nextId), startsAt },
  };
}

function toFilter({ caregiverId, designPlanId, paused }: SeriesQuery): RawBuilder<unknown> {
  return concatenateAndConditions([
    caregiverId && sql`and series.caregiver_id = any(${caregiverId}::bigint[])`,
    designPlanId && sql`and series.design_plan_id = any(${designPlanId}::bigint[])`,
    paused === undefined ? undefined : sql`and series.paused_at is ${paused ? sql`not null` : sql`null`}`,
  ]);
}

/**
 * Builds the condition that the caller may see a series. A Care Provider must be able to see all of its Sessions, as in
 * `SessionLookup.requireSeries`. The search starts from the Sessions visible to the Care Provider, so its cost does not
 * depend on the number of their colleagues' Sessions. The scalar subquery is evaluated only for the series on the page;
 * a join would read all Sessions of the Clinic.
 */
function toAccess(caller: StaffPrincipal, clinicId: number, { clientId }: SeriesQuery): RawBuilder<unknown> {
  const inSeries = sql`clinic_id = ${clinicId} and series_id = series.id`;
  const ofClients = clientId === undefined ? sql`` : sql`and client_id = any(${clientId}::bigint[])`;
  if (caller.role === 'CLINIC') return sql`and exists (select from session where ${inSeries} ${ofClients})`;
  const visible = visibleSessionsConditionSql(clinicId, caller.caregiverId);
  return sql`
    and series.id in (
      select series_id from session where clinic_id = ${clinicId} and ${visible} ${ofClients})
    and (select bool_and(${visible}) from session where ${inSeries})`;
}
