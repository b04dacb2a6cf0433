import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { ConflictError, PreconditionFailedError } from '../../shared/errors/index.js';
import type { ChangeSession, Scope } from './dto/session-changes.js';
import { computeRequestedTime } from './requested-time.js';
import { SeriesEditor, type SeriesUpdate } from '../scheduling/series-editor.js';
import type { ChangeOptions } from '../domain/change-options.js';
import type { LockedSeries } from '../domain/locked-series.js';
import { compareByStart } from '../domain/series-order.js';
import { findOutOfOrderWarnings, computeUndoPlacements, requireFreeTime } from '../domain/undo-placement.js';
import type { SeriesChange } from '../scheduling/dto/series-change.js';
import type { LockScope } from '../scheduling/session-participants.js';
import type { Cancellation, Session } from '../domain/session.entity.js';
import { SessionLookup } from '../scheduling/session-lookup.js';

export type ScopedOptions = ChangeOptions & { scope: Scope };
export type UndoOptions = ScopedOptions & { at: 'before' | 'series' };

const ONLY_THIS_SESSION: ScopedOptions = { conflicts: 'report', dryRun: false, scope: 'this' };

/** What happens to Sessions after their creation. Each call is one transaction, its reminders with it. */
@Injectable()
export class SessionLifecycleService {
  constructor(
    private readonly lookup: SessionLookup,
    private readonly editor: SeriesEditor,
    private readonly directory: Directory,
  ) {}

  /**
   * Changes a Session, or with a scope those of its series that have not happened: text and duration are
   * the same for all; the date moves all by the same number of days; a new time is for those at the old one,
   * so that a Session which was moved on its own stays where it is put.
   *
   * @param seenVersion the version of the addressed Session that the caller has read
   * @param offset of the request, which may mean a zone (`movedTo`); undefined: the zone of the Session
   * @throws PreconditionFailedError, ConflictError for one that is over or cancelled, ScheduleConflictError
   */
  change(
    caller: StaffPrincipal,
    id: number,
    seenVersion: number,
    request: ChangeSession,
    options: ScopedOptions,
    offset?: string,
  ): Promise<SeriesChange> {
    return this.edit(caller, id, options, async (open, session) => {
      if (session.version !== seenVersion) throw new PreconditionFailedError();
      const changed = selectSessionsInScope(open, session, options.scope);
      const clinicZone = offset === undefined ? undefined : (await this.directory.requireStaffClinic(caller)).timeZone;
      const { to, warnings } = computeRequestedTime(session, request, { offset, clinicZone, now: open.now });
      const from = session.planned;
      for (const member of changed) {
        const wasAhead = member.isUpcoming(open.now);
        member.updateDetails(request, open.now);
        if (!to.equals(from)) member.reschedule(rescheduleAlike(member.planned, from, to), open.now);
        if (!wasAhead) reassignToSeriesCareProvider(member, open);
      }
      return { changed, warnings, pointer: pointerToTime(request) };
    });
  }

  /** @throws ConflictError when the Session is neither scheduled nor paused */
  cancel(caller: StaffPrincipal, id: number, why: Cancellation, options: ScopedOptions): Promise<SeriesChange> {
    return this.edit(caller, id, options, (open, session) => {
      const changed = selectSessionsInScope(open, session, options.scope);
      for (const member of changed) member.cancel(why, open.now);
      return { changed };
    });
  }

  /** @throws ConflictError when it is not scheduled, or has not started */
  complete(caller: StaffPrincipal, id: number): Promise<SeriesChange> {
    return this.edit(caller, id, ONLY_THIS_SESSION, ({ now }, session) => {
      session.complete(now);
      return { changed: [session] };
    });
  }

  /** @throws ConflictError when it is not scheduled, or has not started */
  markNoShow(caller: StaffPrincipal, id: number): Promise<SeriesChange> {
    return this.edit(caller, id, ONLY_THIS_SESSION, ({ now }, session) => {
      session.markNoShow(now);
      return { changed: [session] };
    });
  }

  /**
   * Takes the last step back; with a scope, from all Sessions to which the same call did it.
   *
   * @throws ConflictError when there is nothing to take back, later than 30 days after it, when a newer revision of
   *   the plan has brought the week of the Session back in another one, or when there is no place for it in the series
   */
  undo(caller: StaffPrincipal, id: number, options: UndoOptions): Promise<SeriesChange> {
    const takeBack = (open: LockedSeries, session: Session): SeriesUpdate => {
      const { members, series, now } = open;
      const returning = members.filter(
        (member) => hasSameLastStep(member, session) && isInScope(member, session, options.scope),
      );
      const places = computeUndoPlacements(returning, open);
      const atSeries = options.at === 'series';
      const warnings = atSeries ? [] : [...places].flatMap(([member, place]) => findOutOfOrderWarnings(member, place));
      for (const member of returning) {
        const place = atSeries ? places.get(member) : undefined;
        member.undo(series.isPaused, now, place && requireFreeTime(member, place, open));
        reassignToSeriesCareProvider(member, open);
      }
      assertWeeksNotReplaced(returning, members);
      return { changed: returning, warnings };
    };
    // The week of a Session may have come back in any other.
    return this.edit(caller, id, options, takeBack, 'series');
  }

  private edit(
    caller: StaffPrincipal,
    id: number,
    options: ScopedOptions,
    change: (open: LockedSeries, session: Session) => SeriesUpdate | Promise<SeriesUpdate>,
    reach: LockScope = options.scope === 'this' ? 'session' : 'series',
  ): Promise<SeriesChange> {
    const find = async () => {
      const session = await this.lookup.requireSession(caller, id);
      if (options.scope !== 'this') await this.lookup.requireSeries(caller, session.seriesId);
      return session;
    };
    return this.editor.edit(options, find, change, reach);
  }
}

/** The addressed Session, and with a scope those of the series that have not happened: what has happened stays. */
function selectSessionsInScope({ members, now }: LockedSeries, session: Session, scope: Scope): Session[] {
  return members.filter(
    (member) => member === session || (isInScope(member, session, scope) && member.isUpcoming(now)),
  );
}

function isInScope(member: Session, session: Session, scope: Scope): boolean {
  return member === session || scope === 'series' || (scope === 'following' && compareByStart(member, session) > 0);
}

/** What is still to come again is with the Care Provider of the series, whoever had it before a hand-over. */
function reassignToSeriesCareProvider(session: Session, { series, now }: LockedSeries): void {
  if (session.isUpcoming(now) && session.caregiverId !== series.careProviderId)
    session.reassign(series.careProviderId, now);
}

function hasSameLastStep(member: Session, session: Session): boolean {
  if (member === session) return true;
  const [one, other] = [member.statusChangedAt, session.statusChangedAt];
  return member.status === session.status && one !== null && other !== null && one.equals(other);
}

/** A week that a revision of the plan has taken out can come back in a Session of its own. */
function assertWeeksNotReplaced(undone: readonly Session[], members: readonly Session[]): void {
  for (const session of undone) {
    const other = members.find((member) => member !== session && member.coversWeekOf(session));
    if (other === undefined) continue;
    const detail = `Week ${session.planWeek} of the plan is carried by the Session at place ${other.position} now`;
    throw new ConflictError(`${detail}: the one at place ${session.position} stays cancelled.`);
  }
}

/** The field that says how long a Session takes, or when it is. */
function pointerToTime({ date, time }: ChangeSession): string {
  if (date !== undefined) return '/date';
  return time === undefined ? '/durationMinutes' : '/time';
}

/** Where a member of the series goes when another one goes from here to there. */
function rescheduleAlike(
  planned: Temporal.PlainDateTime,
  from: Temporal.PlainDateTime,
  to: Temporal.PlainDateTime,
): Temporal.PlainDateTime {
  const days = from.toPlainDate().until(to.toPlainDate(), { largestUnit: 'days' }).days;
  const time = planned.toPlainTime().equals(from.toPlainTime()) ? to.toPlainTime() : planned.toPlainTime();
  return planned.add({ days }).withPlainTime(time);
}
