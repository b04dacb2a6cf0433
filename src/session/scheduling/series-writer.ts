import { Injectable } from '@nestjs/common';
import {
  ReminderService,
  type Reminder,
  type ReminderRule,
  type TimeSettingsByRecipient,
} from '../../reminder/index.js';
import { bulkInsert, sendTogether, TenantEntityManager } from '../../shared/persistence/index.js';
import { Homework } from '../domain/homework.entity.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';
import type { NewHomework } from '../domain/plan-weeks.js';
import { assertStorableTimes } from '../domain/storable-times.js';

/** A Session to insert, with its homework. */
export type NewSession = { session: Session; homework: readonly NewHomework[] };

/** An inserted Session with its reminders, and its homework with the homework reminders. */
export type InsertedSession = {
  session: Session;
  reminders: Reminder[];
  homework: { homework: Homework; reminders: Reminder[] }[];
};

/** The homework of a set of Sessions, and all reminders for the Sessions and the homework. */
export type HomeworkAndReminders = { homework: readonly Homework[]; reminders: readonly Reminder[] };

export function collectHomeworkAndReminders(inserted: readonly InsertedSession[]): HomeworkAndReminders {
  const insertedHomework = inserted.flatMap(({ homework }) => homework);
  return {
    homework: insertedHomework.map(({ homework }) => homework),
    reminders: [...inserted, ...insertedHomework].flatMap(({ reminders }) => reminders),
  };
}

/** Inserts Sessions with their homework and reminders, within the caller's transaction. */
@Injectable()
export class SeriesWriter {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly reminders: ReminderService,
  ) {}

  /**
   * Inserts a new series. All Sessions get the same Books as homework, without homework reminders.
   *
   * @returns the reminders of the Sessions
   */
  async insertSessions(
    series: SessionSeries,
    sessions: readonly Session[],
    bookIds: ReadonlySet<number>,
    rules: readonly ReminderRule[],
    now: Temporal.Instant,
  ): Promise<Reminder[]> {
    assertStorableTimes(sessions, '/date');
    const [, settings] = await sendTogether([
      () => bulkInsert(this.em, Session, sessions, { referencedRows: [SessionSeries, [series]] }),
      () => this.reminders.findTimeSettings(rules.length === 0 ? [] : sessions.map((session) => session.toSnapshot())),
    ]);
    const subjects = sessions.map((session) => session.toSnapshot());
    const reminders = await this.reminders.planSessionReminders(subjects, rules, now, settings);
    const homework = sessions.flatMap((session) => [...bookIds].map((bookId) => new Homework(session, bookId)));
    await bulkInsert(this.em, Homework, homework, { deferred: true });
    return reminders;
  }

  /**
   * Inserts Sessions, each with its own homework.
   *
   * @param rules reminder rules for every Session, which apply to both recipients
   * @param clientZone time zone of the homework reminders
   * @param series the series to insert with the Sessions; absent if it already exists
   */
  async insertSessionsWithHomework(
    newSessions: readonly NewSession[],
    rules: readonly ReminderRule[],
    clientZone: string,
    now: Temporal.Instant,
    series?: SessionSeries,
  ): Promise<InsertedSession[]> {
    const sessions = newSessions.map(({ session }) => session);
    assertStorableTimes(sessions, series && '/date');
    const [, hours] = await sendTogether([
      () => bulkInsert(this.em, Session, sessions, { referencedRows: series && [SessionSeries, [series]] }),
      () => this.reminders.findTimeSettings(sessions.map((session) => session.toSnapshot())),
    ]);
    const subjects = sessions.map((session) => session.toSnapshot());
    const planned = await this.reminders.planSessionReminders(subjects, rules, now, hours);
    const reminders = Map.groupBy(planned, ({ sessionId }) => sessionId);
    const homework = await this.insertHomework(newSessions, clientZone, now, hours);
    return newSessions.map(({ session }) => ({
      session,
      reminders: reminders.get(session.id) ?? [],
      homework: homework.get(session.id) ?? [],
    }));
  }

  /**
   * Inserts homework for existing Sessions, with its reminders.
   *
   * @returns the inserted homework, keyed by Session ID
   */
  async insertHomework(
    newSessions: readonly NewSession[],
    clientZone: string,
    now: Temporal.Instant,
    hours?: TimeSettingsByRecipient,
  ): Promise<Map<number, InsertedSession['homework']>> {
    const newHomework = newSessions.flatMap(({ session, homework }) => {
      const subject = session.toSnapshot();
      return homework.map((planned) => ({ subject, planned, homework: new Homework(session, planned.bookId) }));
    });
    await bulkInsert(
      this.em,
      Homework,
      newHomework.map((item) => item.homework),
    );
    const reminders = await this.reminders.planHomeworkReminders(
      newHomework.map(({ subject, planned, homework }) => ({
        subject,
        reminders: planned.reminders.map(({ reminderDay, time }) => ({
          homeworkId: homework.id,
          rule: { kind: 'HOMEWORK', bookId: planned.bookId, reminderDay, time, timeZone: clientZone },
        })),
      })),
      now,
      hours,
    );
    const byHomework = Map.groupBy(reminders, ({ homeworkId }) => homeworkId);
    const inserted = newHomework.map(({ homework }) => ({ homework, reminders: byHomework.get(homework.id) ?? [] }));
    return Map.groupBy(inserted, (item) => item.homework.sessionId);
  }
}
