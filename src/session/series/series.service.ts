import { Injectable } from '@nestjs/common';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { ConflictError, UnprocessableError } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import type { ShiftSeries, SkipWeek } from './dto/series-operations.js';
import { toSeriesModel, type SeriesModel } from './dto/series-model.js';
import type { StaffReadQuery } from '../include/include-names.js';
import { IncludeLoader } from '../include/include.loader.js';
import { SeriesEditor } from '../scheduling/series-editor.js';
import type { SeriesChangeOptions } from '../domain/change-options.js';
import type { LockedSeries } from '../domain/locked-series.js';
import type { SeriesChange } from '../scheduling/dto/series-change.js';
import { computeFirstUpcomingTime } from '../domain/series-slots.js';
import { Session } from '../domain/session.entity.js';
import { SessionLookup } from '../scheduling/session-lookup.js';
import { WITHOUT_TEXTS } from '../scheduling/without-texts.js';

/** Pauses, resumes and reschedules series. Only upcoming Sessions and their reminders change. */
@Injectable()
export class SeriesService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly lookup: SessionLookup,
    private readonly editor: SeriesEditor,
    private readonly includes: IncludeLoader,
  ) {}

  /**
   * Returns the series with its homework progress.
   *
   * @throws NotFoundError if the series does not exist or the caller may not see all of its Sessions
   */
  getSeries(caller: StaffPrincipal, id: string, { include }: StaffReadQuery): Promise<SeriesModel> {
    return this.em.transactional(async (em) => {
      const series = await this.lookup.requireSeries(caller, id);
      const options = { ...WITHOUT_TEXTS, orderBy: { startsAt: 'asc', position: 'asc' } } as const;
      const sessions = (await em.find(Session, { clinicId: series.clinicId, seriesId: id }, options)) as Session[];
      const homework = await this.lookup.findHomework(sessions);
      const { careProviderId } = series;
      const wanted = { include, homework, remindersFor: caller, careProviderId };
      return toSeriesModel(series, sessions, homework, await this.includes.load(sessions, wanted));
    });
  }

  /**
   * Pauses all upcoming Sessions.
   *
   * @throws ConflictError when the series is already paused or has no upcoming Session
   */
  pause(caller: StaffPrincipal, id: string, options: SeriesChangeOptions): Promise<SeriesChange> {
    return this.edit(caller, id, options, (locked) => {
      const rest = requireUpcomingSessions(locked);
      locked.series.pause(locked.now);
      for (const session of rest) session.pause(locked.now);
      return rest;
    });
  }

  /**
   * Resumes a paused series. If the first paused Session is in the past, all paused Sessions move forward by the same
   * number of whole intervals, so that the first one is upcoming.
   *
   * @throws ConflictError when the series is not paused
   */
  resume(caller: StaffPrincipal, id: string, options: SeriesChangeOptions): Promise<SeriesChange> {
    return this.edit(caller, id, options, ({ series, members, now }) => {
      series.resume(now);
      const paused = members.filter((session) => session.status === 'PAUSED');
      const days = computeDaysToCatchUp(paused, series.intervalDays, now);
      for (const session of paused) {
        session.resume(now);
        if (days > 0) session.reschedule(session.planned.add({ days }), now);
      }
      return paused;
    });
  }

  /** Moves upcoming Sessions by a number of days. @throws UnprocessableError when a Session would move into the past */
  shift(caller: StaffPrincipal, id: string, request: ShiftSeries, options: SeriesChangeOptions): Promise<SeriesChange> {
    const move = (locked: LockedSeries) =>
      rescheduleUpcomingSessions(locked, request.days, request.fromSessionId, '/fromSessionId');
    return this.edit(caller, id, options, move, '/days');
  }

  /** Skips a week: postpones its Session and all later Sessions by one interval. */
  skipWeek(caller: StaffPrincipal, id: string, request: SkipWeek, options: SeriesChangeOptions): Promise<SeriesChange> {
    return this.edit(caller, id, options, (locked) =>
      rescheduleUpcomingSessions(locked, locked.series.intervalDays, request.sessionId, '/sessionId'),
    );
  }

  private edit(
    caller: StaffPrincipal,
    id: string,
    options: SeriesChangeOptions,
    change: (locked: LockedSeries) => Session[],
    pointer?: string,
  ): Promise<SeriesChange> {
    const find = () => this.lookup.requireFirstSession(caller, id);
    return this.editor.edit(options, find, (locked) => ({ changed: change(locked), pointer }));
  }
}

/** Returns the upcoming Sessions of a series. @throws ConflictError when there are none */
function requireUpcomingSessions({ members, now }: LockedSeries): Session[] {
  const rest = members.filter((session) => session.isUpcoming(now));
  if (rest.length === 0) throw new ConflictError('No Session of this series is still to come.');
  return rest;
}

/**
 * Moves upcoming Sessions by a number of days, starting with a given Session. Paused Sessions may already be in the
 * past, so only moves to an earlier date are checked.
 *
 * @param fromId ID of the first Session to move; undefined means all upcoming Sessions
 * @param pointer JSON pointer to the request field that contains `fromId`
 */
function rescheduleUpcomingSessions(
  locked: LockedSeries,
  days: number,
  fromId: number | undefined,
  pointer: string,
): Session[] {
  const rest = requireUpcomingSessions(locked);
  const from = fromId === undefined ? rest[0] : rest.find((session) => session.id === fromId);
  if (from === undefined) {
    throw new UnprocessableError([{ pointer, detail: 'must be a Session of this series that is still to come' }]);
  }
  const moved = rest.slice(rest.indexOf(from));
  for (const session of moved) session.reschedule(session.planned.add({ days }), locked.now);
  if (days < 0 && moved.some((session) => session.hasStarted(locked.now))) {
    throw new UnprocessableError([{ pointer: '/days', detail: 'must not move a Session into the past' }]);
  }
  return moved;
}

/** Returns the number of days, in whole intervals, by which Sessions must move so that the first one is upcoming. */
function computeDaysToCatchUp(sessions: readonly Session[], intervalDays: number, now: Temporal.Instant): number {
  const [first] = sessions.toSorted((a, b) => Temporal.Instant.compare(a.startsAt, b.startsAt));
  if (first === undefined) return 0;
  const { planned } = first;
  const ahead = computeFirstUpcomingTime(planned, first.timeZone, intervalDays, now);
  return planned.toPlainDate().until(ahead.toPlainDate(), { largestUnit: 'days' }).days;
}
