import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { Directory, type Client, type Clinic } from '../../directory/index.js';
import { ReminderService } from '../../reminder/index.js';
import type { ClientPrincipal } from '../../shared/access/index.js';
import { countRows, formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import { countList, instantKeySchema, parseCursor, toPage, type Page } from '../../shared/validation/index.js';
import { toClientHomework, type ClientHomework, type HomeworkQuery } from './dto/client-homework.js';
import { HomeworkIncludes } from './homework-includes.js';
import { Homework } from '../domain/homework.entity.js';
import { computeHomeworkDueDate } from '../domain/series-order.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';

/** The calling Client and their Clinic. */
export type HomeworkOwner = { client: Client; clinic: Clinic };

const homeworkKey = z.tuple([instantKeySchema, z.int()]);

/** Reads the homework of the calling Client. */
@Injectable()
export class HomeworkReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly reminders: ReminderService,
    private readonly includes: HomeworkIncludes,
  ) {}

  /** Returns the Client's homework from Sessions that are not cancelled, in order of Session start. */
  listHomework(caller: ClientPrincipal, query: HomeworkQuery): Promise<Page<ClientHomework>> {
    return this.em.transactional(async () => {
      const owner = await this.directory.requireClient(caller);
      const listed = toListedSql(owner, query);
      const ids = await this.findPageIds(listed, query);
      const homework = await this.em.find(Homework, { clinicId: owner.clinic.id, id: { $in: ids } });
      const sessions = await this.findSessions(homework);
      const items = await this.toClientHomeworkById(owner, homework, sessions, query.include);
      const page = toPage(
        ids.map((id) => items.get(id)!),
        query.limit,
        ({ id, sessionId }) => [formatInstant(sessions.get(sessionId)!.startsAt), id],
        (item) => item,
      );
      return { ...page, ...(await countList(query.count, (maximum) => countRows(this.em, listed, maximum))) };
    });
  }

  /** Converts one homework item to its model, within the caller's transaction. */
  async toClientHomework(owner: HomeworkOwner, homework: Homework): Promise<ClientHomework> {
    const items = await this.toClientHomeworkById(owner, [homework], await this.findSessions([homework]));
    return items.get(homework.id)!;
  }

  /** Returns the IDs on a page and one more ID, which shows whether there is a next page. */
  private async findPageIds(listed: RawBuilder<unknown>, { cursor, limit, sort }: HomeworkQuery): Promise<number[]> {
    const key = parseCursor(cursor, homeworkKey);
    const isDescending = sort.direction === 'desc';
    const rest = key === undefined ? sql`` : toCursorCondition(isDescending, ...key);
    const direction = isDescending ? sql`desc` : sql`asc`;
    const { rows } = await sql<{ id: string }>`
      select h.id ${listed} ${rest} order by s.starts_at ${direction}, h.id ${direction}
      limit ${limit + 1}`.execute(this.em.getKysely());
    return rows.map(({ id }) => Number(id));
  }

  private async findSessions(homework: readonly Homework[]): Promise<Map<number, Session>> {
    const [first] = homework;
    if (first === undefined) return new Map();
    const id = { $in: [...new Set(homework.map((item) => item.sessionId))] };
    const sessions = await this.em.find(Session, { clinicId: first.clinicId, id });
    return new Map(sessions.map((session) => [session.id, session]));
  }

  /** Loads the related rows of all items with a fixed number of statements. */
  private async toClientHomeworkById(
    { client, clinic }: HomeworkOwner,
    homework: readonly Homework[],
    sessions: ReadonlyMap<number, Session>,
    include?: HomeworkQuery['include'],
  ): Promise<Map<number, ClientHomework>> {
    const seriesIds = [...new Set([...sessions.values()].map((session) => session.seriesId))];
    const series = await this.em.find(SessionSeries, { clinicId: clinic.id, id: { $in: seriesIds } });
    const members = await this.em.find(Session, { clinicId: clinic.id, seriesId: { $in: seriesIds } });
    const ids = homework.map(({ id }) => id);
    const reminders = Map.groupBy(await this.reminders.findUnsentByHomework(clinic.id, ids), (item) => item.homeworkId);
    const bookIds = homework.map(({ bookId }) => bookId);
    const titles = await this.directory.findBookTitles(clinic.id, bookIds);
    const bySeries = Map.groupBy(members, (member) => member.seriesId);
    const intervals = new Map(series.map(({ id, intervalDays }) => [id, intervalDays]));
    const toMembers = await this.includes.load(include, homework, [...sessions.values()], titles);
    const viewOf = (item: Homework) => {
      const session = sessions.get(item.sessionId)!;
      const { seriesId } = session;
      const model = toClientHomework(item, {
        session,
        bookTitle: titles.get(item.bookId) ?? '',
        dueDate: computeHomeworkDueDate(session, bySeries.get(seriesId) ?? [], intervals.get(seriesId)!),
        reminders: reminders.get(item.id) ?? [],
        clientZone: client.timeZone ?? clinic.timeZone,
      });
      return { ...model, ...toMembers(item, session) };
    };
    return new Map(homework.map((item) => [item.id, viewOf(item)]));
  }
}

function toListedSql({ client, clinic }: HomeworkOwner, query: HomeworkQuery): RawBuilder<unknown> {
  const { completed, sessionId, bookId } = query;
  const done = sql`and h.completed_at is ${completed ? sql`not null` : sql`null`}`;
  return sql`
    from session s join homework h on h.clinic_id = s.clinic_id and h.session_id = s.id
    where s.clinic_id = ${clinic.id} and s.client_id = ${client.id} and s.status <> 'CANCELLED'
      ${completed === undefined ? sql`` : done}
      ${sessionId === undefined ? sql`` : sql`and s.id = any(${sessionId}::bigint[])`}
      ${bookId === undefined ? sql`` : sql`and h.book_id = any(${bookId}::bigint[])`}`;
}

function toCursorCondition(isDescending: boolean, startsAt: Temporal.Instant, id: number): RawBuilder<unknown> {
  const start = sql`${formatInstant(startsAt)}::timestamptz`;
  const [from, beyond] = isDescending ? [sql`<=`, sql`<`] : [sql`>=`, sql`>`];
  // The leading range is required: without it, homework before the cursor could match by its ID alone. The range also
  // lets PostgreSQL start the index scan at the cursor.
  return sql`and s.starts_at ${from} ${start} and (s.starts_at ${beyond} ${start} or h.id ${beyond} ${id})`;
}
