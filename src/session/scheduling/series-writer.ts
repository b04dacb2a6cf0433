import { Injectable } from '@nestjs/common';
import { ReminderService, type Reminder, type ReminderRule } from '../../reminder/index.js';
import { bulkInsert, sendTogether, TenantEntityManager } from '../../shared/persistence/index.js';
import { Homework } from '../domain/homework.entity.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';
import type { NewHomework } from '../domain/plan-weeks.js';
import { toHomeworkRules } from '../domain/reminder-rules.js';
import { assertStorableTimes } from '../domain/storable-times.js';

/** A Session, new or stored, with the homework that is to be inserted for it. */
export type SessionWithNewHomework = { session: Session; homework: readonly NewHomework[] };

/** The homework of a set of Sessions, and all reminders for the Sessions and the homework. */
export type HomeworkAndReminders = {
  homework: readonly Homework[];
  reminders: readonly Reminder[];
  /** Whether the recipient has opted out of a reminder, so that it will not be sent. */
  hasOptedOut: (reminder: Reminder) => boolean;
};

/** Pointers to the fields of a request for a new series that determine the due times of its reminders. */
const NEW_SERIES_POINTERS = { sessions: '/reminders', homework: '/date' } as const;

/** Inserts Sessions with their homework and reminders, within the caller's transaction. */
@Injectable()
export class SeriesWriter {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly reminders: ReminderService,
  ) {}

  /** Inserts a new series. All Sessions get the same Books as homework, without homework reminders. */
  async insertSessions(
    series: SessionSeries,
    sessions: readonly Session[],
    bookIds: ReadonlySet<number>,
    rules: readonly ReminderRule[],
    now: Temporal.Instant,
  ): Promise<HomeworkAndReminders> {
    assertStorableTimes(sessions, '/date');
    const [, settings] = await sendTogether([
      () => bulkInsert(this.em, Session, sessions, { referencedRows: [SessionSeries, [series]] }),
      () => this.reminders.findTimeSettings(rules.length === 0 ? [] : sessions),
    ]);
    const subjects = sessions.map((session) => session.toSnapshot());
    const reminders = await this.reminders.plan(
      { sessions: subjects, rules, homework: [] },
      now,
      settings,
      NEW_SERIES_POINTERS,
    );
    const homework = sessions.flatMap((session) => [...bookIds].map((bookId) => new Homework(session, bookId)));
    await bulkInsert(this.em, Homework, homework, { deferred: true });
    return { homework, reminders, hasOptedOut: (reminder) => settings.hasOptedOut(reminder) };
  }

  /**
   * Inserts Sessions, each with its own homework.
   *
   * @param rules reminder rules for every Session, which apply to both recipients
   * @param clientZone time zone of the homework reminders
   * @param series the series to insert with the Sessions; absent if it already exists
   */
  async insertSessionsWithHomework(
    newSessions: readonly SessionWithNewHomework[],
    rules: readonly ReminderRule[],
    clientZone: string,
    now: Temporal.Instant,
    series?: SessionSeries,
  ): Promise<HomeworkAndReminders> {
    const sessions = newSessions.map(({ session }) => session);
    assertStorableTimes(sessions, series && '/date');
    const [, settings] = await sendTogether([
      () => bulkInsert(this.em, Session, sessions, { referencedRows: series && [SessionSeries, [series]] }),
      () => this.reminders.findTimeSettings(sessions),
    ]);
    const { rows, reminders: homework } = await this.insertHomeworkRows(newSessions, clientZone);
    const subjects = sessions.map((session) => session.toSnapshot());
    const reminders = await this.reminders.plan(
      { sessions: subjects, rules, homework },
      now,
      settings,
      series && NEW_SERIES_POINTERS,
    );
    return { homework: rows, reminders, hasOptedOut: (reminder) => settings.hasOptedOut(reminder) };
  }

  /** Inserts homework for existing Sessions, with its reminders. */
  async insertHomework(
    sessions: readonly SessionWithNewHomework[],
    clientZone: string,
    now: Temporal.Instant,
  ): Promise<void> {
    const { reminders: homework } = await this.insertHomeworkRows(sessions, clientZone);
    await this.reminders.plan({ sessions: [], rules: [], homework }, now);
  }

  /** Inserts homework. Returns it with the reminders that are to be planned for it. */
  private async insertHomeworkRows(sessions: readonly SessionWithNewHomework[], clientZone: string) {
    const items = sessions.flatMap(({ session, homework }) => {
      const subject = session.toSnapshot();
      return homework.map((planned) => ({ subject, planned, row: new Homework(session, planned.bookId) }));
    });
    const rows = items.map(({ row }) => row);
    await bulkInsert(this.em, Homework, rows);
    const reminders = items.flatMap(({ subject, planned, row }) =>
      toHomeworkRules(planned, clientZone).map((rule) => ({ subject, homeworkId: row.id, rule })),
    );
    return { rows, reminders };
  }
}
