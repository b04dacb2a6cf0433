import type { FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { ReminderService, type PlannedReminders, type Reminder, type SessionSnapshot } from '../../reminder/index.js';
import { sendTogether } from '../../shared/persistence/index.js';
import { isBefore } from '../../shared/time/index.js';
import type { Homework } from '../domain/homework.entity.js';
import { toReminderRules } from '../domain/reminder-rules.js';
import type { SessionSeries } from '../domain/session-series.entity.js';
import type { Session } from '../domain/session.entity.js';
import type { HomeworkAndReminders } from './series-writer.js';
import { SessionLookup } from './session-lookup.js';

type RescheduleOptions = {
  homeworkFilter?: FilterQuery<Homework>;
  series?: SessionSeries;
  pointer?: string | undefined;
};

/** Adapts reminders to changes of their Sessions and homework, within the caller's transaction. */
@Injectable()
export class SessionReminders {
  constructor(
    private readonly lookup: SessionLookup,
    private readonly reminders: ReminderService,
  ) {}

  /**
   * Adapts the unsent reminders of Sessions to the state of the Sessions and their homework. The series must be locked.
   */
  async update(sessions: readonly Session[], now: Temporal.Instant): Promise<void> {
    await this.reschedule(sessions, now, { homeworkFilter: { completedAt: { $ne: null } } });
  }

  /**
   * Adapts the reminders of Sessions after a change. Those that were sent get a successor if they are due again.
   *
   * @param options.homeworkFilter selects the homework to read; must include completed homework, which needs no
   * reminders
   * @param options.series the series whose Sessions may have moved
   * @param options.pointer JSON pointer to the request field that moves the Sessions
   */
  async reschedule(
    sessions: readonly Session[],
    now: Temporal.Instant,
    { homeworkFilter = {}, series, pointer }: RescheduleOptions,
  ): Promise<HomeworkAndReminders> {
    const snapshots = sessions.map((session) => session.toSnapshot());
    const [found, planned] = await sendTogether([
      () => this.lookup.findHomework(sessions, homeworkFilter),
      () => this.reminders.lockPlanned(snapshots),
    ]);
    const homework = [...found.values()].flat();
    const doneHomeworkIds = new Set(homework.filter((item) => item.completedAt !== null).map((item) => item.id));
    const subjects = snapshots.map((snapshot) => ({ ...snapshot, doneHomeworkIds }));
    const reminders = await this.reminders.reschedule(subjects, planned, now, pointer);
    if (series !== undefined) reminders.push(...(await this.planRemoved(series, snapshots, planned, now, pointer)));
    return { homework, reminders, hasOptedOut: (reminder) => planned.settings.hasOptedOut(reminder) };
  }

  /**
   * Retention can have removed all reminders of a series that has ended. If a Session of the series is moved to the
   * future, its reminders are planned again.
   */
  private planRemoved(
    series: SessionSeries,
    snapshots: readonly SessionSnapshot[],
    { reminders, settings }: PlannedReminders,
    now: Temporal.Instant,
    pointer: string | undefined,
  ): Promise<Reminder[]> {
    const plannedIds = new Set(reminders.map(({ subjectSessionId }) => subjectSessionId));
    const sessions = snapshots.filter(
      ({ sessionId, startsAt, phase }) => phase === 'AHEAD' && isBefore(now, startsAt) && !plannedIds.has(sessionId),
    );
    const rules = toReminderRules({ reminders: series.reminders });
    return this.reminders.plan({ sessions, rules, homework: [] }, now, settings, { sessions: pointer });
  }
}
