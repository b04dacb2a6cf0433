import type { SessionSnapshot } from '../../reminder/index.js';
import { ConflictError } from '../../shared/errors/index.js';
import { isStorableInstant } from '../../shared/persistence/index.js';
import { formatLocalDateTime, isSupportedZone } from '../../shared/time/index.js';
import { createSessionSlot, type SessionSlot } from './series-slots.js';
import {
  REMINDER_PHASES,
  STATUS_TRANSITIONS,
  UNDO_PERIOD_DAYS,
  type CancelReason,
  type SessionStatus,
  type StatusOperation,
} from './session-status.js';
import { SessionSchema } from './session.schema.js';

/** Default duration of a Session in minutes. */
export const DEFAULT_DURATION_MINUTES = 50;
/** Maximum duration of a Session in minutes. Limits how far back the search for overlaps has to look. */
export const MAX_DURATION_MINUTES = 720;

/** Values that all Sessions in a new series share. */
export type SharedSessionValues = {
  seriesId: string;
  clinicId: number;
  caregiverId: number;
  clientId: number;
  designPlanId?: number;
  title: string;
  description?: string;
  durationMinutes?: number;
};

/** Position of a Session in its series, and the `ordering` of its plan week. */
type SeriesPosition = { position: number; planWeek?: number };

type DetailsChange = { title?: string; description?: string | null; durationMinutes?: number };

export type Cancellation = { reason: CancelReason; note?: string };

/** An appointment between a Client and a Care Provider. */
export class Session extends SessionSchema.class {
  constructor(series: SharedSessionValues, place: SeriesPosition, slot: SessionSlot, now: Temporal.Instant) {
    super();
    this.clinicId = series.clinicId;
    this.seriesId = series.seriesId;
    this.position = place.position;
    this.caregiverId = series.caregiverId;
    this.clientId = series.clientId;
    this.designPlanId = series.designPlanId ?? null;
    this.planWeek = place.planWeek ?? null;
    this.title = series.title;
    this.description = series.description ?? null;
    this.durationMinutes = series.durationMinutes ?? DEFAULT_DURATION_MINUTES;
    this.setSlot(slot);
    this.status = 'SCHEDULED';
    this.statusChangedAt = null;
    this.cancelReason = null;
    this.cancelNote = null;
    this.version = 1;
    this.createdAt = now;
    this.updatedAt = now;
  }

  /** Planned local date and time in the time zone of the Session. */
  get planned(): Temporal.PlainDateTime {
    return Temporal.PlainDateTime.from(`${this.plannedDate}T${this.plannedTime}`);
  }

  /**
   * Returns true for a scheduled Session that has not started and for any paused Session. Changes to a series affect
   * only its upcoming Sessions.
   */
  isUpcoming(now: Temporal.Instant): boolean {
    return this.status === 'PAUSED' || (this.status === 'SCHEDULED' && !this.hasStarted(now));
  }

  hasStarted(now: Temporal.Instant): boolean {
    return Temporal.Instant.compare(this.startsAt, now) <= 0;
  }

  /** Returns true for a Session that has started and is neither paused nor cancelled. */
  isPast(now: Temporal.Instant): boolean {
    return this.status !== 'PAUSED' && this.status !== 'CANCELLED' && this.hasStarted(now);
  }

  /** Whether a change at this instant has set the status. */
  hasChangedStatusAt(instant: Temporal.Instant): boolean {
    return this.statusChangedAt?.equals(instant) ?? false;
  }

  /** Returns true if this Session is not cancelled and belongs to the same plan week as the other Session. */
  coversWeekOf({ planWeek }: Session): boolean {
    return planWeek !== null && this.planWeek === planWeek && this.status !== 'CANCELLED';
  }

  /**
   * Changes the fields that are present. If `description` is null, the description is removed. The version is
   * incremented only if a value differs.
   */
  updateDetails(change: DetailsChange, now: Temporal.Instant): void {
    const { title = this.title, description = this.description, durationMinutes = this.durationMinutes } = change;
    if (title === this.title && description === this.description && durationMinutes === this.durationMinutes) return;
    Object.assign(this, { title, description, durationMinutes });
    this.setSlot({ planned: this.planned, timeZone: this.timeZone, startsAt: this.startsAt });
    this.recordChange(now);
  }

  /** Sets the texts of a new revision of the plan. Increments the version also if only the homework changes. */
  revise(texts: { title: string; description: string | null }, now: Temporal.Instant): void {
    Object.assign(this, texts);
    this.recordChange(now);
  }

  /**
   * Moves the Session to another local time in its time zone. The version is incremented only if that time differs.
   *
   * @throws ConflictError when the Session is completed, a no-show or cancelled
   */
  reschedule(planned: Temporal.PlainDateTime, now: Temporal.Instant): void {
    if (this.status !== 'SCHEDULED' && this.status !== 'PAUSED') {
      throw new ConflictError(
        `A Session that is ${this.status} cannot be rescheduled. ${this.describeAllowedSteps(now)}`,
      );
    }
    if (planned.equals(this.planned)) return;
    this.setSlot(createSessionSlot(planned, this.timeZone));
    this.recordChange(now);
  }

  /** Sets the position in the series. The version is incremented only if the position changes. */
  renumber(position: number, now: Temporal.Instant): void {
    if (position !== this.position) this.recordChange(now);
    this.position = position;
  }

  /**
   * True if the local time now corresponds to a different instant than the stored one. This happens when newer time
   * zone data changes the rules of a zone. A Session whose new time cannot be stored keeps its time, and so does one in a
   * zone that only another release knows.
   */
  get hasOutdatedStart(): boolean {
    const { startsAt } = isSupportedZone(this.timeZone) ? createSessionSlot(this.planned, this.timeZone) : this;
    return !startsAt.equals(this.startsAt) && isStorableInstant(startsAt.add({ minutes: this.durationMinutes }));
  }

  /**
   * Returns start and end by the time zone data of this process. The stored times of an upcoming Session are older until
   * newer data has been applied to it.
   */
  computeCurrentTimes(now: Temporal.Instant): { startsAt: Temporal.Instant; endsAt: Temporal.Instant } {
    if (this.hasStarted(now) || !this.hasOutdatedStart) return { startsAt: this.startsAt, endsAt: this.endsAt };
    const { startsAt } = createSessionSlot(this.planned, this.timeZone);
    return { startsAt, endsAt: startsAt.add({ minutes: this.durationMinutes }) };
  }

  /** Recomputes start and end from the local time and the time zone. */
  recomputeTimes(now: Temporal.Instant): void {
    this.setSlot(createSessionSlot(this.planned, this.timeZone));
    this.recordChange(now);
  }

  reassign(caregiverId: number, now: Temporal.Instant): void {
    this.caregiverId = caregiverId;
    this.recordChange(now);
  }

  /** Adapts a Session that is upcoming again to its series: to the current Care Provider, and to a pause. */
  rejoin(series: { careProviderId: number; isPaused: boolean }, now: Temporal.Instant): void {
    if (!this.isUpcoming(now)) return;
    if (this.caregiverId !== series.careProviderId) this.reassign(series.careProviderId, now);
    if (series.isPaused && this.status === 'SCHEDULED') this.pause(now);
  }

  /**
   * Sets `updatedAt`, so that clients synchronise the Session. The version stays the same, so that a Care Provider's
   * change with `If-Match` still succeeds.
   */
  recordHomeworkChange(now: Temporal.Instant): void {
    this.updatedAt = now;
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
   * Reverts the last status change.
   *
   * @param seriesPausedAt null if the series is not paused
   * @param newTime local time at which a cancelled Session is restored; defaults to its previous time
   * @throws ConflictError when the status cannot be undone, or was set more than 30 days ago
   */
  undo(seriesPausedAt: Temporal.Instant | null, now: Temporal.Instant, newTime?: Temporal.PlainDateTime): void {
    this.requireNextStatus('undo', now);
    if (this.hasUndoPeriodEnded(now)) {
      throw new ConflictError(`The status ${this.status} cannot be undone after ${UNDO_PERIOD_DAYS} days.`);
    }
    const wasCancelled = this.status === 'CANCELLED';
    this.applyStep('undo', now);
    if (newTime !== undefined) this.setSlot(createSessionSlot(newTime, this.timeZone));
    // Paused even if its time has passed, so that `resume` moves it with the other Sessions.
    if (wasCancelled && seriesPausedAt !== null && (newTime !== undefined || !this.hasStarted(seriesPausedAt)))
      this.status = 'PAUSED';
    this.cancelReason = null;
    this.cancelNote = null;
  }

  /** Returns the data from which the reminder module plans reminders. */
  toSnapshot(doneHomeworkIds: ReadonlySet<number> = new Set()): SessionSnapshot {
    const { id: sessionId, clinicId, clientId, caregiverId, timeZone, startsAt } = this;
    const plannedDate = Temporal.PlainDate.from(this.plannedDate);
    const phase = REMINDER_PHASES[this.status];
    return { sessionId, clinicId, clientId, caregiverId, plannedDate, timeZone, startsAt, phase, doneHomeworkIds };
  }

  private applyStep(step: StatusOperation, now: Temporal.Instant): void {
    this.status = this.requireNextStatus(step, now);
    this.statusChangedAt = now;
    this.recordChange(now);
  }

  private hasUndoPeriodEnded(now: Temporal.Instant): boolean {
    return this.statusChangedAt !== null && this.statusChangedAt.until(now).total('hours') > UNDO_PERIOD_DAYS * 24;
  }

  private requireNextStatus(step: StatusOperation, now: Temporal.Instant): SessionStatus {
    const next = STATUS_TRANSITIONS[this.status][step];
    if (next !== undefined) return next;
    throw new ConflictError(
      `A Session that is ${this.status} does not allow ${step}. ${this.describeAllowedSteps(now)}`,
    );
  }

  private requireStarted(step: StatusOperation, now: Temporal.Instant): void {
    if (this.status !== 'SCHEDULED' || this.hasStarted(now)) return;
    throw new ConflictError(
      `Before a Session has started, it does not allow ${step}. ${this.describeAllowedSteps(now)}`,
    );
  }

  private describeAllowedSteps(now: Temporal.Instant): string {
    const refused = new Set([
      // Sessions are paused and resumed only through their series.
      ...['pause', 'resume'],
      ...(this.hasStarted(now) ? [] : ['complete', 'no-show']),
      ...(this.hasUndoPeriodEnded(now) ? ['undo'] : []),
    ]);
    const allowed = Object.keys(STATUS_TRANSITIONS[this.status]).filter((step) => !refused.has(step));
    return allowed.length > 0 ? `It allows: ${allowed.join(', ')}.` : 'It allows no step.';
  }

  /** Sets the planned local time, the time zone and the start. The end follows from the duration. */
  private setSlot({ planned, timeZone, startsAt }: SessionSlot): void {
    const { date, time } = formatLocalDateTime(planned);
    [this.plannedDate, this.plannedTime] = [date, time];
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
