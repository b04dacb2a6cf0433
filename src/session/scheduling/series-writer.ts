import { Injectable } from '@nestjs/common';
import {
  ReminderService,
  type Reminder,
  type ReminderRule,
  type TimeSettingsByRecipient,
} from '../../reminder/index.js';
import { ConflictError, InvalidRequestError } from '../../shared/errors/index.js';
import { bulkInsert, isStorableInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import { Homework } from '../domain/homework.entity.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';

/** One Book to be given, with the days and times of the plan week at which the Client is reminded of it. */
export type NewHomework = { bookId: number; reminders: readonly { reminderDay: number; time: string }[] };
export type NewSession = { session: Session; homework: readonly NewHomework[] };

export type InsertedSession = {
  session: Session;
  reminders: Reminder[];
  homework: { homework: Homework; reminders: Reminder[] }[];
};

/** Writes Sessions with all that belongs to them. To be called within the transaction of what asks for them. */
@Injectable()
export class SeriesWriter {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly reminders: ReminderService,
  ) {}

  /** Sessions that all have the same Books as homework, without reminders of these. Answers their own reminders. */
  async insertSessions(
    series: SessionSeries,
    sessions: readonly Session[],
    bookIds: ReadonlySet<number>,
    rules: readonly ReminderRule[],
    now: Temporal.Instant,
  ): Promise<Reminder[]> {
    assertStorableTimes(sessions, '/date');
    await bulkInsert(this.em, Session, sessions, { referencedRows: [SessionSeries, [series]] });
    const subjects = sessions.map((session) => session.toSnapshot());
    const reminders = await this.reminders.planSessionReminders(subjects, rules, now);
    const homework = sessions.flatMap((session) => [...bookIds].map((bookId) => new Homework(session, bookId)));
    await bulkInsert(this.em, Homework, homework, { deferred: true });
    return reminders;
  }

  /**
   * @param rules of the reminders that every Session has, for both recipients
   * @param clientZone where the times of homework reminders stand
   * @param series the new one that they make; absent: one that exists
   */
  async insertSessionsWithHomework(
    orders: readonly NewSession[],
    rules: readonly ReminderRule[],
    clientZone: string,
    now: Temporal.Instant,
    series?: SessionSeries,
  ): Promise<InsertedSession[]> {
    const sessions = orders.map(({ session }) => session);
    assertStorableTimes(sessions, series && '/date');
    await bulkInsert(this.em, Session, sessions, { referencedRows: series && [SessionSeries, [series]] });
    const subjects = sessions.map((session) => session.toSnapshot());
    const hours = await this.reminders.findTimeSettings(subjects);
    const planned = await this.reminders.planSessionReminders(subjects, rules, now, hours);
    const reminders = Map.groupBy(planned, ({ sessionId }) => sessionId);
    const homework = await this.insertHomework(orders, clientZone, now, hours);
    return orders.map(({ session }) => ({
      session,
      reminders: reminders.get(session.id) ?? [],
      homework: homework.get(session.id) ?? [],
    }));
  }

  /** Gives Books as homework of Sessions, with their reminders. */
  async insertHomework(
    orders: readonly NewSession[],
    clientZone: string,
    now: Temporal.Instant,
    hours?: TimeSettingsByRecipient,
  ): Promise<Map<number, InsertedSession['homework']>> {
    const given = orders.flatMap(({ session, homework }) => {
      const subject = session.toSnapshot();
      return homework.map((order) => ({ subject, order, homework: new Homework(session, order.bookId) }));
    });
    await bulkInsert(
      this.em,
      Homework,
      given.map((item) => item.homework),
    );
    const planned = await this.reminders.planHomeworkReminders(
      given.map(({ subject, order, homework }) => ({
        subject,
        reminders: order.reminders.map(({ reminderDay, time }) => ({
          homeworkId: homework.id,
          rule: { kind: 'HOMEWORK', bookId: order.bookId, reminderDay, time, timeZone: clientZone },
        })),
      })),
      now,
      hours,
    );
    const byHomework = Map.groupBy(planned, ({ homeworkId }) => homeworkId);
    const written = given.map(({ homework }) => ({ homework, reminders: byHomework.get(homework.id) ?? [] }));
    return Map.groupBy(written, (item) => item.homework.sessionId);
  }
}

/**
 * Sessions must be in the years 1 to 9999, in UTC and in their own zone.
 *
 * @param field of the request that says when they are; undefined where it has none
 * @throws InvalidRequestError that names the field, ConflictError without one
 */
export function assertStorableTimes(sessions: readonly Session[], field: string | undefined): void {
  const isWithin = ({ planned: { year }, startsAt, endsAt }: Session) =>
    year >= 1 && year <= 9_999 && isStorableInstant(startsAt) && isStorableInstant(endsAt);
  if (sessions.every(isWithin)) return;
  if (field === undefined) throw new ConflictError('A Session of the series would not be in the years 1 to 9999.');
  throw new InvalidRequestError([{ pointer: field, detail: 'every Session must be in the years 1 to 9999' }]);
}
