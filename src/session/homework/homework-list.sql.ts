import { sql, type RawBuilder } from 'kysely';
import { formatInstant, concatenateAndConditions, type TenantEntityManager } from '../../shared/persistence/index.js';
import { pickHomeworkFilters, type HomeworkQuery } from './dto/homework-model.js';

/** Which homework a list contains: that of a whole Clinic, or only that of one Client. */
export type HomeworkScope = { clinicId: number; ownerId?: number };
type ListedHomework = { id: number; seriesId: string; startsAt: Temporal.Instant };

/** Builds the `from` and `where` clauses that select the homework of Sessions that are not cancelled. */
export function homeworkListClausesSql(
  { clinicId, ownerId }: HomeworkScope,
  query: HomeworkQuery,
): RawBuilder<unknown> {
  const { completed, sessionId, bookId, clientId, caregiverId } = pickHomeworkFilters(query);
  const conditions = concatenateAndConditions([
    ownerId === undefined ? undefined : sql`and s.client_id = ${ownerId}`,
    completed === undefined ? undefined : sql`and h.completed_at is ${completed ? sql`not null` : sql`null`}`,
    sessionId && sql`and s.id = any(${sessionId}::bigint[])`,
    bookId && sql`and h.book_id = any(${bookId}::bigint[])`,
    clientId && sql`and ${isOneOf(sql`s.client_id`, clientId)}`,
    caregiverId && sql`and ${isOneOf(sql`s.caregiver_id`, caregiverId)}`,
  ]);
  return sql`
    from session s join homework h on h.clinic_id = s.clinic_id and h.session_id = s.id
    where s.clinic_id = ${clinicId} and s.status <> 'CANCELLED' ${conditions}`;
}

/**
 * Uses `=` for a single value. Only then can PostgreSQL read the rows in the order of an index that begins with the
 * column.
 */
function isOneOf(column: RawBuilder<unknown>, ids: readonly number[]): RawBuilder<unknown> {
  return ids.length === 1 ? sql`${column} = ${ids[0]}` : sql`${column} = any(${[...ids]}::bigint[])`;
}

/**
 * Finds the homework of a page and one more item, which shows whether there is a next page.
 *
 * @param after start of the Session and ID of the homework at the end of the previous page
 */
export async function findListedHomework(
  em: TenantEntityManager,
  scope: HomeworkScope,
  query: HomeworkQuery,
  after: readonly [Temporal.Instant, number] | undefined,
): Promise<ListedHomework[]> {
  const isDescending = query.sort.direction === 'desc';
  const rest = after === undefined ? sql`` : toCursorCondition(isDescending, ...after);
  const direction = isDescending ? sql`desc` : sql`asc`;
  const { rows } = await sql<{ id: string; seriesId: string; startsAt: number }>`
    select h.id, s.series_id as "seriesId", (extract(epoch from s.starts_at) * 1000)::float8 as "startsAt"
    ${homeworkListClausesSql(scope, query)} ${rest} order by s.starts_at ${direction}, h.id ${direction}
    limit ${query.limit + 1}`.execute(em.getKysely());
  return rows.map(({ id, seriesId, startsAt }) => ({
    ...{ id: Number(id), seriesId },
    startsAt: Temporal.Instant.fromEpochMilliseconds(Math.round(startsAt)),
  }));
}

function toCursorCondition(isDescending: boolean, startsAt: Temporal.Instant, id: number): RawBuilder<unknown> {
  const start = sql`${formatInstant(startsAt)}::timestamptz`;
  const [from, beyond] = isDescending ? [sql`<=`, sql`<`] : [sql`>=`, sql`>`];
  // The leading range excludes homework before the cursor, and lets PostgreSQL start the index scan at the cursor.
  return sql`and s.starts_at ${from} ${start} and (s.starts_at ${beyond} ${start} or h.id ${beyond} ${id})`;
}
