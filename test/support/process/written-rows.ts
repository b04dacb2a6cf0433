import type pg from 'pg';
import type { AcknowledgedWrite } from './retrying-writer.js';

/*
 * Compares the database with the acknowledged writes. A row and its audit entry have the same `xmin`, because one
 * transaction writes both.
 */

const CREATE_PLAN = 'POST /gateway/profile/clinic/design-plan';
const CREATE_SESSIONS = 'POST /gateway/profile/caregiver/session';
const MOVE = 'PATCH /gateway/profile/caregiver/session/{id}';

/** Reads the title and ID of all plans, sorted by ID. */
export async function readPlans(client: pg.Client): Promise<[string, number][]> {
  const { rows } = await client.query<{ title: string; id: string }>(
    'select plan_name as title, id from design_plan order by id',
  );
  return rows.map(({ title, id }) => [title, Number(id)]);
}

/** Reads all series: the title, and the IDs, versions and local times of their Sessions. */
export async function readSeries(client: pg.Client): Promise<[string, number[], number[], string[]][]> {
  const { rows } = await client.query<{ title: string; ids: string[]; versions: number[]; times: string[] }>(`
    select title, array_agg(id::text order by position) as ids, array_agg(version order by position) as versions,
      array_agg(planned_time::text order by position) as times
    from session group by series_id, title order by min(id)`);
  return rows.map(({ title, ids, versions, times }) => [title, ids.map(Number), versions, times]);
}

/** Returns the results that `readPlans` and `readSeries` must have after the acknowledged writes. */
export const expectedPlans = (acknowledged: readonly AcknowledgedWrite[]) =>
  acknowledged.map(({ title, planId }) => [title, planId] as const).toSorted(byId);
export const expectedSeries = (acknowledged: readonly AcknowledgedWrite[]) =>
  acknowledged
    .map(({ title, sessionIds, times, version }) => {
      return [title, sessionIds, [version, 1], [times.at(-1), '09:00']] as const;
    })
    .toSorted((a, b) => a[1][0]! - b[1][0]!);
const byId = (a: readonly [string, number], b: readonly [string, number]) => a[1] - b[1];

/**
 * Finds writes without exactly one audit entry in their transaction, and audit entries without a write. Audit entries
 * of replayed responses are allowed.
 */
export async function findAuditMismatches(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ fault: string }>(`
    with entry as (
      select *, audit_entry.xmin as transaction from audit_entry where access = 'WRITE' and outcome = 'OK'
    ), written as (
      select xmin as transaction, '${CREATE_PLAN}' as operation, 'design-plan/' || id as record from design_plan
      union all
      select xmin, '${CREATE_SESSIONS}', 'series/' || id from session_series
      union all
      select xmin, '${MOVE}', 'session/' || id from session where version > 1
    ), entries as (
      select record, (select count(*) from entry
        where entry.transaction = written.transaction and entry.operation = written.operation and record = any(records)) as count
      from written
    )
    select record || ' has ' || count || ' entries' as fault from entries where count <> 1
    union all
    select 'entry ' || id || ' of ' || operation || ' has no write' from entry
      where operation <> '${MOVE}' and not exists (select from written where written.transaction = entry.transaction)
        and not exists (select from written join entry as first on first.transaction = written.transaction
          where first.operation = entry.operation and first.records = entry.records)`);
  return rows.map(({ fault }) => fault);
}

/** Counts the audit entries about moves of each Session. */
export async function countAuditedMoves(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ record: string; count: number }>(`
    select records[1] as record, count(*)::int as count from audit_entry
    where access = 'WRITE' and outcome = 'OK' and operation = '${MOVE}' group by records[1]`);
  return Object.fromEntries(rows.map(({ record, count }) => [record, count]));
}

export const expectedMoves = (acknowledged: readonly AcknowledgedWrite[]) =>
  Object.fromEntries(acknowledged.map(({ sessionIds, times }) => [`session/${sessionIds[0]}`, times.length]));
