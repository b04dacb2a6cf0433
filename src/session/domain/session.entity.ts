import { defineEntity, p } from '@mikro-orm/core';
import type { SessionSnapshot } from '../../reminder/index.js';
import { ConflictError } from '../../shared/errors/index.js';
import { columns } from '../../shared/persistence/index.js';
import { formatWallClock } from '../../shared/time/index.js';
import { createSlot, type SessionSlot } from './series-slots.js';
import {
  STATUS_TRANSITIONS,
  UNDO_PERIOD_DAYS,
  type CancelReason,
  type SessionStatus,
  type SessionStep,
} from './session-status.js';

/** How long a Session lasts unless told otherwise, in minutes. */
export const DEFAULT_DURATION_MINUTES = 50;
/** The longest that a Session can last: a look-up of overlaps need not go further back. */
export const MAX_DURATION_MINUTES = 720;

const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    seriesId: p.uuid(),
    /** Place in the series, from 1: by start, as numbered when it was created or a revision has added or removed weeks. */
    position: p.integer(),
    caregiverId: columns.reference(),
    clientId: columns.reference(),
    designPlanId: columns.reference().nullable().strictNullable(),
    /** `ordering` of the plan's week that this Session carries. */
    planWeek: p.integer().nullable().strictNullable(),
    title: p.text(),
    description: p.text().nullable().strictNullable(),
    /** As planned, on the wall clock of `timeZone`: yyyy-MM-dd and HH:mm. */
    plannedDate: p.text(),
    plannedTime: p.text(),
    timeZone: p.text(),
    durationMinutes: p.integer(),
    startsAt: columns.instant(),
    endsAt: columns.instant(),
    status: p.text().$type<SessionStatus>(),
    statusChangedAt: columns.instant().nullable().strictNullable(),
    cancelReason: p.text().$type<CancelReason>().nullable().strictNullable(),
    cancelNote: p.text().nullable().strictNullable(),
    /** Counts every change: the entity tag, and one more than the SEQUENCE of its calendar event. */
    version: p.integer(),
    createdAt: columns.instant(),
    updatedAt: columns.instant(),
  },
});

/** What all Sessions of one series share. */
export type SeriesData = {
  seriesId: string;
  clinicId: number;
  caregiverId: number;
  clientId: number;
  designPlanId?: number;
  title: string;
  description?: string;
  durationMinutes?: number;
};

/** Where one Session stands in its series, and which week of the plan it carries. */
export type SeriesPosition = { position: number; planWeek?: number };

const REMINDER_STANDINGS: Readonly<Record<SessionStatus, SessionSnapshot['phase']>> = {
  SCHEDULED: 'AHEAD',
  PAUSED: 'PAUSED',
  COMPLETED: 'OVER',
  NO_SHOW: 'OVER',
  CANCELLED: 'CANCELLED',
};

export type Cancellation = { reason: CancelReason; note?: string };

/** One appointment of a Client with a Care Provider. */
export class Session extends SessionSchema.class {
  constructor(series: SeriesData, setSlot: SeriesPosition, slot: SessionSlot, now: Temporal.Instant) {
    super();
    this.clinicId = series.clinicId;
    this.seriesId = series.seriesId;
    this.position = setSlot.position;
    this.caregiverId = series.caregiverId;
    this.clientId = series.clientId;
    this.designPlanId = series.designPlanId ?? null;
    this.planWeek = setSlot.planWeek ?? null;
    this.title = series.title;
    this.description = series.description ?? null;
    this.durationMinutes = series.durationMinutes ?? DEFAULT_DURATION_MINUTES;
    this.place(slot);
    this.status = 'SCHEDULED';
    this.statusChangedAt = null;
    this.cancelReason = null;
    this.cancelNote = null;
    this.version = 1;
    this.createdAt = now;
    this.updatedAt = now;
  }

  /** As planned, on the wall clock of its zone. */
  get planned(): Temporal.PlainDateTime {
    return Temporal.PlainDateTime.from(`${this.plannedDate}T${this.plannedTime}`);
  }

  /** Has not happened and can still: what a move of its series may touch. What is paused waits, however long. */
  isUpcoming(now: Temporal.Instant): boolean {
    return this.status === 'PAUSED' || (this.status === 'SCHEDULED' && !this.hasStarted(now));
  }

  hasStarted(now: Temporal.Instant): boolean {
    return Temporal.Instant.compare(this.startsAt, now) <= 0;
  }

  /** Has taken place, or was to: what no move of its series touches. */
  isPast(now: Temporal.Instant): boolean {
    return this.status !== 'PAUSED' && this.status !== 'CANCELLED' && this.hasStarted(now);
  }

  /** True when this Session is not cancelled, and carries the same week of the plan as the other one. */
  coversWeekOf({ planWeek }: Session): boolean {
    return planWeek !== null && this.planWeek === planWeek && this.status !== 'CANCELLED';
  }

  /** Changes what is given and leaves the rest; an empty description is null. */
  updateDetails(
    change: { title?: string; description?: string | null; durationMinutes?: number },
    now: Temporal.Instant,
  ): void {
    this.title = change.title ?? this.title;
    if (change.description !== undefined) this.description = change.description;
    this.durationMinutes = change.durationMinutes ?? this.durationMinutes;
    this.place({ planned: this.planned, timeZone: this.timeZone, startsAt: this.startsAt });
    this.recordChange(now);
  }

  /**
   * Moves to another time on the wall clock of its zone.
   *
   * @throws ConflictError when it is over or cancelled
   */
  reschedule(planned: Temporal.PlainDateTime, now: Temporal.Instant): void {
    if (this.status !== 'SCHEDULED' && this.status !== 'PAUSED') {
      throw new ConflictError(`A Session that is ${this.status} cannot be moved${this.describeLegalSteps()}`);
    }
    this.place(createSlot(planned, this.timeZone));
    this.recordChange(now);
  }

  /** Sets the position in the series. No change is recorded where it stays the same. */
  renumber(position: number, now: Temporal.Instant): void {
    if (position !== this.position) this.recordChange(now);
    this.position = position;
  }

  /** Whether its wall clock and zone give another start than the stored one, as newer time zone data can. */
  get hasOutdatedStart(): boolean {
    return createSlot(this.planned, this.timeZone).startsAt.epochMilliseconds !== this.startsAt.epochMilliseconds;
  }

  /** Works its instants out again: the wall clock in its zone stays. */
  recomputeTimes(now: Temporal.Instant): void {
    this.place(createSlot(this.planned, this.timeZone));
    this.recordChange(now);
  }

  /** Gives the Session to another Care Provider of the Clinic. */
  reassign(caregiverId: number, now: Temporal.Instant): void {
    this.caregiverId = caregiverId;
    this.recordChange(now);
  }

  complete(now: Temporal.Instant): void {
    this.requireStarted('complete', now);
    this.applyStep('complete', now);
  }

  markNoShow(now: Temporal.Instant): void {
    this.requireStarted('no-show', now);
    this.applyStep('no-show', now);
  }

  cancel({ reason, note }: Cancellation, now: Temporal.Instant): void {
    this.applyStep('cancel', now);
    this.cancelReason = reason;
    this.cancelNote = note ?? null;
  }

  pause(now: Temporal.Instant): void {
    this.applyStep('pause', now);
  }

  resume(now: Temporal.Instant): void {
    this.applyStep('resume', now);
  }

  /**
   * Takes the last step back.
   *
   * @param place in its series as it is now, that a cancelled Session comes back to; absent: where it was
   * @throws ConflictError later than 30 days after it: by then the record is final
   */
  undo(seriesIsPaused: boolean, now: Temporal.Instant, place?: Temporal.PlainDateTime): void {
    if (this.statusChangedAt !== null && this.statusChangedAt.until(now).total('hours') > UNDO_PERIOD_DAYS * 24) {
      throw new ConflictError(
        `A Session that has been ${this.status} for more than ${UNDO_PERIOD_DAYS} days stays so.`,
      );
    }
    this.applyStep('undo', now);
    if (place !== undefined) this.place(createSlot(place, this.timeZone));
    // Beside Sessions that wait it waits with them, though its date may have passed.
    if (seriesIsPaused && (place !== undefined || !this.hasStarted(now))) this.status = 'PAUSED';
    this.cancelReason = null;
    this.cancelNote = null;
  }

  /** What the reminders need to know. */
  toSnapshot(doneHomeworkIds: ReadonlySet<number> = new Set()): SessionSnapshot {
    const { id: sessionId, clinicId, clientId, caregiverId, timeZone, startsAt } = this;
    const plannedDate = Temporal.PlainDate.from(this.plannedDate);
    const phase = REMINDER_STANDINGS[this.status];
    return { sessionId, clinicId, clientId, caregiverId, plannedDate, timeZone, startsAt, phase, doneHomeworkIds };
  }

  private applyStep(step: SessionStep, now: Temporal.Instant): void {
    const next = STATUS_TRANSITIONS[this.status][step];
    if (next === undefined) {
      throw new ConflictError(`${step} is not legal for a Session that is ${this.status}${this.describeLegalSteps()}`);
    }
    this.status = next;
    this.statusChangedAt = now;
    this.recordChange(now);
  }

  private requireStarted(step: SessionStep, now: Temporal.Instant): void {
    if (this.status !== 'SCHEDULED' || this.hasStarted(now)) return;
    throw new ConflictError(`${step} is not legal before the Session has started; legal is: cancel.`);
  }

  private describeLegalSteps(): string {
    // Pausing and resuming are steps of the series.
    const legal = Object.keys(STATUS_TRANSITIONS[this.status]).filter((step) => step !== 'pause' && step !== 'resume');
    return `; legal is: ${legal.join(', ')}.`;
  }

  private place({ planned, timeZone, startsAt }: SessionSlot): void {
    const { date, time } = formatWallClock(planned);
    this.plannedDate = date;
    this.plannedTime = time;
    this.timeZone = timeZone;
    this.startsAt = startsAt;
    this.endsAt = startsAt.add({ minutes: this.durationMinutes });
  }

  private recordChange(now: Temporal.Instant): void {
    this.version += 1;
    this.updatedAt = now;
  }
}
SessionSchema.setClass(Session);
