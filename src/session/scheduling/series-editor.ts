import { LockMode, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { ReminderService } from '../../reminder/index.js';
import {
  FOR_BULK_UPDATE,
  UNTRACKED,
  inSavepoint,
  bulkUpdate,
  TenantEntityManager,
} from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Homework } from '../domain/homework.entity.js';
import { compareByStart } from '../domain/series-order.js';
import { ScheduleConflicts, type ConflictPolicy } from './schedule-conflicts.js';
import { sessionDetailsOf, reportOf, type SessionDetails, type SeriesChange } from './series-report.js';
import { assertStorableTimes, type InsertedSession } from './series-writer.js';
import { SessionParticipants, type LockScope } from './session-participants.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';
import { SessionReader } from './session-lookup.js';
import type { ScheduleWarning } from '../domain/time-warnings.js';

/** How a change is to be made: `dryRun` answers what it would do and does nothing. */
export type ChangeOptions = { conflicts: ConflictPolicy; dryRun: boolean };

/** A series while nobody else can change it, with its Sessions, as far as a change looks at them, in the order of their start. */
export type LockedSeries = { series: SessionSeries; members: Session[]; now: Temporal.Instant };

/** What a change has touched: Sessions that were there, Sessions that are new, and what is worth telling. */
export type SeriesUpdate = {
  changed: Session[];
  added?: Session[];
  /** Those of which only the place has changed. */
  renumbered?: Session[];
  warnings?: ScheduleWarning[];
  /** A pointer to the field of the request that moves Sessions; absent where it has none. */
  pointer?: string;
};

/** A series that was just written, and what is worth telling of it. */
export type NewSeries = { series: SessionSeries; inserted: InsertedSession[]; warnings: ScheduleWarning[] };

/** Whether reminders of homework wait, which can be due after the day of the next Session. */
function hasPendingHomeworkReminders({ reminders }: SessionDetails): boolean {
  return reminders.some(({ kind, status }) => kind === 'HOMEWORK' && status === 'PENDING');
}

/** Carries the answer of a dry run out of the transaction that is rolled back. */
class DryRunResult<T> extends Error {
  constructor(readonly answer: T) {
    super('dry run');
  }
}

/** The one way in which a series and its Sessions are changed: alone, with reminders in step and overlaps told. */
@Injectable()
export class SeriesEditor {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly reader: SessionReader,
    private readonly participants: SessionParticipants,
    private readonly conflicts: ScheduleConflicts,
    private readonly reminders: ReminderService,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes the series that a Session belongs to, in one transaction.
   *
   * @param find a Session of it, that the caller may see
   * @param reach where it is the one Session, the others of its series are not read, and the series is not written
   * @throws ScheduleConflictError
   * @throws ConflictError when a Session would be ahead with somebody who has left
   */
  edit(
    options: ChangeOptions,
    find: () => Promise<Session>,
    change: (open: LockedSeries, found: Session) => SeriesUpdate | Promise<SeriesUpdate>,
    reach: LockScope = 'series',
  ): Promise<SeriesChange> {
    return this.runInTransaction(options.dryRun, async () => {
      const found = await find();
      const held = await this.participants.lockForChange(options.conflicts, found, reach);
      // Of a series that is only held, nobody looks whether it has changed.
      const series = await this.findForUpdate(found.clinicId, found.seriesId, reach === 'session' ? UNTRACKED : {});
      // Until all of it was held, a hand-over could take the series from the caller, or to somebody who is not held.
      const again = await find();
      const members = reach === 'session' ? [again] : await this.findMembers(series);
      held.assertCareProvidersLocked([...members.map(({ caregiverId }) => caregiverId), series.careProviderId]);
      const open = { series, members, now: this.clock.now() };
      const session = members.find(({ id }) => id === found.id)!;
      const edit = await change(open, session);
      held.assertActive([...edit.changed, ...(edit.added ?? [])], open.now);
      const all = reach === 'session' ? undefined : [...members, ...(edit.added ?? [])];
      return this.saveUpdate(open, all, edit, options);
    });
  }

  /** Writes a new series in one transaction, or answers what would be written. */
  create(options: ChangeOptions, work: () => Promise<NewSeries>): Promise<SeriesChange> {
    return this.runInTransaction(options.dryRun, async () => {
      const { series, inserted, warnings } = await work();
      const added = inserted.map(({ session }) => session);
      const edit = { changed: [], added, warnings };
      return this.saveUpdate({ series, now: this.clock.now() }, added, edit, options, sessionDetailsOf(inserted));
    });
  }

  /** For other services, within their transaction: from here on nobody else can change the series. */
  async lockSeries(clinicId: number, id: string): Promise<LockedSeries> {
    const series = await this.findForUpdate(clinicId, id);
    return { series, members: await this.findMembers(series), now: this.clock.now() };
  }

  private findForUpdate(clinicId: number, id: string, how: Partial<typeof UNTRACKED> = {}): Promise<SessionSeries> {
    const options = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, ...how };
    return this.em.findOneOrFail(SessionSeries, { clinicId, id }, options);
  }

  private findMembers({ clinicId, id: seriesId }: SessionSeries): Promise<Session[]> {
    return this.em.find(
      Session,
      { clinicId, seriesId },
      { ...FOR_BULK_UPDATE, orderBy: { startsAt: 'asc', position: 'asc' } },
    );
  }

  /**
   * @param all Sessions of the series as they are now; undefined: not read
   * @param written what belongs to the Sessions of a new series: as it was just written, it is in step with them
   */
  private async saveUpdate(
    { series, now }: Pick<LockedSeries, 'series' | 'now'>,
    all: readonly Session[] | undefined,
    { changed, added = [], renumbered = [], warnings = [], pointer }: SeriesUpdate,
    options: ChangeOptions,
    written?: SessionDetails,
  ): Promise<SeriesChange> {
    const touched = [...changed, ...added].sort(compareByStart);
    assertStorableTimes(touched, pointer);
    await bulkUpdate(this.em, Session, [...changed, ...renumbered], { deferred: true });
    const belongings = written ?? (await this.rescheduleReminders(touched, now));
    const overlaps = await this.conflicts.enforce(options.conflicts, touched);
    const hidden = options.dryRun ? new Set(added.map((session) => session.id)) : new Set<number>();
    const isNew = options.dryRun && written !== undefined;
    const members = all ?? (hasPendingHomeworkReminders(belongings) ? await this.findMembers(series) : touched);
    return reportOf(series, touched, belongings, { ...overlaps, warnings, members, hidden, isNew, now });
  }

  /** Brings what has not been sent in step with Sessions of an open series, and with their homework that is done. */
  async updateReminders(sessions: readonly Session[], now: Temporal.Instant): Promise<void> {
    await this.rescheduleReminders(sessions, now, { completedAt: { $ne: null } });
  }

  /** The same, and answers what belongs to them then. */
  private async rescheduleReminders(
    sessions: readonly Session[],
    now: Temporal.Instant,
    wanted: FilterQuery<Homework> = {},
  ): Promise<SessionDetails> {
    const homework = [...(await this.reader.findHomework(sessions, wanted)).values()].flat();
    const done = new Set(homework.filter((item) => item.completedAt !== null).map((item) => item.id));
    const subjects = sessions.map((session) => session.toSnapshot(done));
    return { homework, reminders: await this.reminders.reschedule(subjects, now) };
  }

  private async runInTransaction<T>(dryRun: boolean, work: () => Promise<T>): Promise<T> {
    if (!dryRun) return this.em.transactional(work);
    try {
      return await inSavepoint(this.em, async () => {
        throw new DryRunResult(await work());
      });
    } catch (thrown) {
      if (thrown instanceof DryRunResult) return thrown.answer as T;
      throw thrown;
    }
  }
}
