import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { requireVersion } from '../../shared/errors/index.js';
import type { ChangeSession } from './dto/session-changes.js';
import { computeRequestedTime } from './requested-time.js';
import { SeriesEditor, type SeriesUpdate } from '../scheduling/series-editor.js';
import type { ChangeScope, SeriesChangeOptions } from '../domain/change-options.js';
import type { LockedSeries } from '../domain/locked-series.js';
import {
  assertWeeksNotReplaced,
  computeUndoPlacements,
  findOutOfOrderWarnings,
  requireRestorableTime,
} from '../domain/restored-placement.js';
import { rescheduleAlike, selectSessionsInScope, selectSessionsOfLastStep } from '../domain/session-scope.js';
import type { SeriesChange } from '../scheduling/dto/series-change.js';
import type { LockScope } from '../scheduling/session-participants.js';
import type { Cancellation, Session } from '../domain/session.entity.js';
import { SessionLookup } from '../scheduling/session-lookup.js';

type ScopedChangeOptions = SeriesChangeOptions & { scope: ChangeScope };
type UndoOptions = ScopedChangeOptions & { at: 'before' | 'series' };

const ONLY_THIS_SESSION: ScopedChangeOptions = { conflicts: 'report', dryRun: false, scope: 'this' };

/**
 * Changes existing Sessions and their reminders. Each call is one transaction.
 *
 * `seenVersion` is the version of the Session that the caller has read. All methods throw a PreconditionFailedError if it
 * is not the current version. If it is undefined, any version is changed.
 */
@Injectable()
export class SessionLifecycleService {
  constructor(
    private readonly lookup: SessionLookup,
    private readonly editor: SeriesEditor,
    private readonly directory: Directory,
  ) {}

  /**
   * Changes a Session and, with a scope, other upcoming Sessions in its series. All of them get the same texts and
   * duration, and their dates move by the same number of days. A new time applies only to Sessions at the old time,
   * because Sessions at other times were rescheduled individually.
   *
   * @param offset the `offset` header of the request (see `computeRequestedTime`); undefined means the Session's time
   *   zone
   * @throws ConflictError when a Session to be rescheduled is completed, a no-show or cancelled
   * @throws ScheduleConflictError when there are overlaps and the policy is `reject`
   */
  change(
    caller: StaffPrincipal,
    id: number,
    seenVersion: number,
    request: ChangeSession,
    options: ScopedChangeOptions,
    offset?: string,
  ): Promise<SeriesChange> {
    return this.edit(caller, { id, seenVersion }, options, async (locked, session) => {
      const changed = selectSessionsInScope(locked, session, options.scope);
      const clinicZone = offset === undefined ? undefined : (await this.directory.requireStaffClinic(caller)).timeZone;
      const { to, warnings } = computeRequestedTime(session, request, { offset, clinicZone, now: locked.now });
      const from = session.planned;
      for (const member of changed) {
        const wasUpcoming = member.isUpcoming(locked.now);
        member.updateDetails(request, locked.now);
        if (!to.equals(from)) member.reschedule(rescheduleAlike(member.planned, from, to), locked.now);
        if (!wasUpcoming) member.rejoin(locked.series, locked.now);
      }
      return { changed, warnings, pointer: pointerToTime(request) };
    });
  }

  /**
   * Cancels a Session.
   *
   * @throws ConflictError when the Session is neither scheduled nor paused
   */
  cancel(
    caller: StaffPrincipal,
    id: number,
    cancellation: Cancellation,
    options: ScopedChangeOptions,
    seenVersion?: number,
  ): Promise<SeriesChange> {
    return this.edit(caller, { id, seenVersion }, options, (locked, session) => {
      const changed = selectSessionsInScope(locked, session, options.scope);
      for (const member of changed) member.cancel(cancellation, locked.now);
      return { changed };
    });
  }

  /**
   * Marks a Session as completed.
   *
   * @throws ConflictError when the Session is not scheduled or has not started
   */
  complete(caller: StaffPrincipal, id: number, seenVersion?: number): Promise<SeriesChange> {
    return this.edit(caller, { id, seenVersion }, ONLY_THIS_SESSION, ({ now }, session) => {
      session.complete(now);
      return { changed: [session] };
    });
  }

  /**
   * Records that the Client did not come to a Session.
   *
   * @throws ConflictError when the Session is not scheduled or has not started
   */
  markNoShow(caller: StaffPrincipal, id: number, seenVersion?: number): Promise<SeriesChange> {
    return this.edit(caller, { id, seenVersion }, ONLY_THIS_SESSION, ({ now }, session) => {
      session.markNoShow(now);
      return { changed: [session] };
    });
  }

  /**
   * Reverts the last status change of a Session and, with a scope, of the Sessions within the scope that the same
   * request changed.
   *
   * @throws ConflictError when there is nothing to revert, the change is more than 30 days old, the plan week now has
   *   another Session, or the requested placement in the series is not available
   */
  undo(caller: StaffPrincipal, id: number, options: UndoOptions, seenVersion?: number): Promise<SeriesChange> {
    const revertStep = (locked: LockedSeries, session: Session): SeriesUpdate => {
      const { members, series, now } = locked;
      const returning = selectSessionsOfLastStep(members, session, options.scope);
      const places = computeUndoPlacements(returning, locked);
      const atSeries = options.at === 'series';
      const warnings = atSeries ? [] : [...places].flatMap(([member, place]) => findOutOfOrderWarnings(member, place));
      for (const member of returning) {
        const newTime = atSeries && places.has(member) ? requireRestorableTime(member, places, locked) : undefined;
        member.undo(series.pausedAt, now, newTime);
        member.rejoin(series, now);
      }
      assertWeeksNotReplaced(returning, members);
      return { changed: returning, warnings };
    };
    // Another Session in the series may now have the same plan week, so all Sessions are read.
    return this.edit(caller, { id, seenVersion }, options, revertStep, 'series');
  }

  private edit(
    caller: StaffPrincipal,
    { id, seenVersion }: { id: number; seenVersion: number | undefined },
    options: ScopedChangeOptions,
    change: (locked: LockedSeries, session: Session) => SeriesUpdate | Promise<SeriesUpdate>,
    lockScope: LockScope = options.scope === 'this' ? 'session' : 'series',
  ): Promise<SeriesChange> {
    const find = async () => {
      const session = await this.lookup.requireSession(caller, id);
      if (options.scope !== 'this') await this.lookup.requireSeries(caller, session.seriesId);
      return session;
    };
    const changeSeenVersion = (locked: LockedSeries, session: Session) => {
      requireVersion(session, seenVersion);
      return change(locked, session);
    };
    return this.editor.edit(options, find, changeSeenVersion, lockScope);
  }
}

/** Returns the JSON pointer to the request field that changes the time or the duration. */
function pointerToTime({ date, time }: ChangeSession): string {
  if (date !== undefined) return '/date';
  return time === undefined ? '/durationMinutes' : '/time';
}
