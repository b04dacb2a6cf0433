import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { UpcomingHomeworkReminders, type Reminder } from '../../reminder/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import {
  FOR_BULK_UPDATE,
  UNTRACKED,
  awaitDeferred,
  inSavepoint,
  bulkUpdate,
  sendTogether,
  TenantEntityManager,
} from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { SeriesChangeOptions } from '../domain/change-options.js';
import type { LockedSeries } from '../domain/locked-series.js';
import type { ScheduleWarning } from '../domain/schedule-warning.js';
import { compareByStart } from '../domain/series-order.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';
import { assertStorableTimes } from '../domain/storable-times.js';
import { findTimeWarnings } from '../domain/time-warnings.js';
import { toSeriesChange, type SeriesChange } from './dto/series-change.js';
import { findOutdatedMessageWarnings } from './outdated-message-warnings.js';
import { findAfterDueWarnings, findReminderWarnings } from './reminder-warnings.js';
import { ScheduleConflictFinder } from './schedule-conflict-finder.js';
import type { HomeworkAndReminders } from './series-writer.js';
import { SessionReminders } from './session-reminders.js';
import { SessionParticipants, type LockScope } from './session-participants.js';

/** The Sessions that a change has modified, and what its response reports about them. */
export type SeriesUpdate = {
  changed: Session[];
  added?: Session[];
  /** Sessions of which only the position changes. The response does not list them. */
  renumbered?: Session[];
  warnings?: ScheduleWarning[];
  /** JSON pointer to the request field that moves Sessions; absent if there is no such field. */
  pointer?: string;
};

/** A series that was inserted in this transaction, and the time at which its reminders were planned. */
type NewSeries = {
  series: SessionSeries;
  sessions: readonly Session[];
  details: HomeworkAndReminders;
  warnings: ScheduleWarning[];
  now: Temporal.Instant;
};

/** Thrown to roll back a dry run; carries the result out of the savepoint. */
class DryRunResult<T> extends Error {
  constructor(readonly result: T) {
    super('dry run');
  }
}

/**
 * Changes series and their Sessions. Every change locks the series, adapts the reminders in the same transaction, and
 * reports or rejects overlaps.
 */
@Injectable()
export class SeriesEditor {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly participants: SessionParticipants,
    private readonly conflicts: ScheduleConflictFinder,
    private readonly reminders: SessionReminders,
    private readonly homeworkReminders: UpcomingHomeworkReminders,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes the series of a Session in one transaction.
   *
   * @param findSession finds a Session in the series that is visible to the caller; called before and after locking
   * @param scope `session` locks only this Session's participants and does not read the rest of the series
   * @throws ScheduleConflictError when there are overlaps and the policy is `reject`
   * @throws ConflictError when an upcoming Session would have a deactivated participant
   */
  edit(
    options: SeriesChangeOptions,
    findSession: () => Promise<Session>,
    applyChange: (locked: LockedSeries, session: Session) => SeriesUpdate | Promise<SeriesUpdate>,
    scope: LockScope = 'series',
  ): Promise<SeriesChange> {
    return this.runInTransaction(options.dryRun, async () => {
      const found = await findSession();
      const { clinicId, seriesId } = found;
      const [participants, series, current, all] = await sendTogether([
        () => this.participants.lockForChange(options.conflicts, found, scope),
        // If a series is only locked and not changed, the unit of work need not track it.
        () => this.findForUpdate(clinicId, seriesId, scope === 'session' ? UNTRACKED : {}),
        // Read again, because a reassignment may have changed the Care Provider before the locks were acquired.
        findSession,
        () => (scope === 'session' ? Promise.resolve(undefined) : this.findMembers(clinicId, seriesId)),
      ]);
      const members = all ?? [current];
      participants.assertCareProvidersLocked([...members.map((member) => member.caregiverId), series.careProviderId]);
      const locked = { series, members, now: this.clock.now() };
      const session = members.find(({ id }) => id === found.id)!;
      const update = await applyChange(locked, session);
      participants.assertActive([...update.changed, ...(update.added ?? [])], locked.now);
      const allSessions = scope === 'session' ? undefined : [...members, ...(update.added ?? [])];
      return this.saveUpdate(locked, allSessions, update, options);
    });
  }

  /** Inserts a new series in one transaction. */
  create(options: SeriesChangeOptions, insertSeries: () => Promise<NewSeries>): Promise<SeriesChange> {
    return this.runInTransaction(options.dryRun, async () => {
      const { series, sessions, details, warnings, now } = await insertSeries();
      const update = { changed: [], added: [...sessions], warnings };
      return this.saveUpdate({ series, now }, sessions, update, options, details);
    });
  }

  /** Locks a series until the caller's transaction ends. Returns the series with its Sessions. */
  async lockSeries(clinicId: number, id: string): Promise<LockedSeries> {
    const [series, members] = await sendTogether([
      () => this.findForUpdate(clinicId, id),
      () => this.findMembers(clinicId, id),
    ]);
    return { series, members, now: this.clock.now() };
  }

  /** @throws NotFoundError when an erasure or retention has removed the series before it could be locked */
  private async findForUpdate(
    clinicId: number,
    id: string,
    tracking: Partial<typeof UNTRACKED> = {},
  ): Promise<SessionSeries> {
    const options = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, ...tracking };
    const series = await this.em.findOne(SessionSeries, { clinicId, id }, options);
    if (series === null) throw new NotFoundError();
    return series;
  }

  private findMembers(clinicId: number, seriesId: string): Promise<Session[]> {
    return this.em.find(
      Session,
      { clinicId, seriesId },
      { ...FOR_BULK_UPDATE, orderBy: { startsAt: 'asc', position: 'asc' } },
    );
  }

  /**
   * @param allSessions all Sessions in the series after the change; undefined if they were not read
   * @param insertedDetails homework and reminders of a new series, which have already been inserted
   */
  private async saveUpdate(
    { series, now }: Pick<LockedSeries, 'series' | 'now'>,
    allSessions: readonly Session[] | undefined,
    { changed, added = [], renumbered = [], warnings = [], pointer }: SeriesUpdate,
    options: SeriesChangeOptions,
    insertedDetails?: HomeworkAndReminders,
  ): Promise<SeriesChange> {
    const sessions = [...changed, ...added].sort(compareByStart);
    assertStorableTimes(sessions, pointer);
    await bulkUpdate(this.em, Session, [...changed, ...renumbered], { deferred: true });
    const [ofUnchanged, { homework, reminders, hasOptedOut }, overlaps] = await sendTogether([
      () => (insertedDetails ? Promise.resolve([]) : this.findRemindersOfUnchanged(series, sessions, now)),
      () =>
        insertedDetails
          ? Promise.resolve(insertedDetails)
          : this.reminders.reschedule(sessions, now, { series, pointer }),
      () => this.conflicts.enforcePolicy(options.conflicts, sessions),
    ]);
    const expected = reminders.filter((reminder) => !hasOptedOut(reminder));
    const needsMembers = hasPendingHomework(expected) || ofUnchanged.length > 0;
    const members = allSessions ?? (needsMembers ? await this.findMembers(series.clinicId, series.id) : sessions);
    const notCancelled = sessions.filter(({ status }) => status !== 'CANCELLED');
    const reminderWarnings = [
      ...findReminderWarnings(expected, sessions, members, now),
      ...findAfterDueWarnings(ofUnchanged, sessions, members, now),
      ...findOutdatedMessageWarnings(reminders, sessions, now, hasOptedOut),
    ];
    return toSeriesChange(series, sessions, {
      ...overlaps,
      ...{ homework, reminders, warnings: [...warnings, ...findTimeWarnings(notCancelled), ...reminderWarnings] },
      renumbered,
      rolledBackIds: new Set(options.dryRun ? added.map(({ id }) => id) : []),
      isRolledBack: options.dryRun && insertedDetails !== undefined,
    });
  }

  /**
   * Finds the homework reminders of other Sessions that may be due too late because Sessions have changed.
   *
   * @param changed in order of start
   */
  private async findRemindersOfUnchanged(
    series: SessionSeries,
    changed: readonly Session[],
    now: Temporal.Instant,
  ): Promise<Reminder[]> {
    const earliest = changed.find((session) => session.isUpcoming(now));
    if (earliest === undefined) return [];
    const changedIds = changed.map(({ id }) => id);
    return this.homeworkReminders.findDueAfter(series, earliest.startsAt, changedIds);
  }

  private async runInTransaction<T>(dryRun: boolean, work: () => Promise<T>): Promise<T> {
    if (!dryRun) return this.em.transactional(work);
    try {
      return await inSavepoint(this.em, async () => {
        const result = await work();
        // The end of the savepoint does not report a deferred statement that has failed, as COMMIT would.
        await awaitDeferred(this.em);
        throw new DryRunResult(result);
      });
    } catch (thrown) {
      if (thrown instanceof DryRunResult) return thrown.result as T;
      throw thrown;
    }
  }
}

/** Pending homework reminders may be due after the next Session, so all Sessions in the series must be read. */
function hasPendingHomework(reminders: readonly Reminder[]): boolean {
  return reminders.some(({ kind, status }) => kind === 'HOMEWORK' && status === 'PENDING');
}
