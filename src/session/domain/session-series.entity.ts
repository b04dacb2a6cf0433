import { defineEntity, p } from '@mikro-orm/core';
import { ConflictError } from '../../shared/errors/index.js';
import { columnTypes } from '../../shared/persistence/index.js';

const SessionSeriesSchema = defineEntity({
  name: 'SessionSeries',
  tableName: 'session_series',
  properties: {
    id: p.uuid().primary(),
    clinicId: columnTypes.reference(),
    designPlanId: columnTypes.reference().nullable().strictNullable(),
    /** Applied revision of the plan; null if no plan was applied, even if a plan supplied the title or description. */
    revision: p.integer().nullable().strictNullable(),
    /** First and last plan week to apply, by `ordering`; null means no limit. */
    fromWeek: p.integer().nullable().strictNullable(),
    toWeek: p.integer().nullable().strictNullable(),
    /** Care Provider for Sessions that a revision adds. A trigger sets it in rows that the previous release inserts. */
    caregiverId: columnTypes.reference().nullable().strictNullable(),
    intervalDays: p.integer(),
    /** Days from the creation of a Session to its reminders; null means no such reminders. */
    remindDays: p.integer().nullable().strictNullable(),
    /** Reminder offsets from the start of each Session, as ISO 8601 durations. */
    reminders: p.json<string[]>(),
    pausedAt: columnTypes.instant().nullable().strictNullable(),
    createdAt: columnTypes.instant(),
    /** Incremented with each change of the series itself, not of its Sessions. */
    version: p.integer(),
    /** Time of the last change of the series itself; null if there was none. */
    changedAt: columnTypes.instant().nullable().strictNullable(),
  },
});

type SessionSeriesData = {
  id: string;
  clinicId: number;
  caregiverId: number;
  designPlanId?: number;
  revision?: number;
  fromWeek?: number;
  toWeek?: number;
  intervalDays: number;
  remindDays?: number;
  reminders: readonly string[];
};

/** Settings shared by all Sessions that one request created. These Sessions can be rescheduled together. */
export class SessionSeries extends SessionSeriesSchema.class {
  constructor(data: SessionSeriesData, now: Temporal.Instant) {
    super();
    this.id = data.id;
    this.clinicId = data.clinicId;
    this.caregiverId = data.caregiverId;
    this.designPlanId = data.designPlanId ?? null;
    this.revision = data.revision ?? null;
    this.fromWeek = data.fromWeek ?? null;
    this.toWeek = data.toWeek ?? null;
    this.intervalDays = data.intervalDays;
    this.remindDays = data.remindDays ?? null;
    this.reminders = [...data.reminders];
    this.pausedAt = null;
    this.createdAt = now;
    this.version = 1;
    this.changedAt = null;
  }

  /** Care Provider of the upcoming Sessions in this series. */
  get careProviderId(): number {
    return this.caregiverId!;
  }

  get isPaused(): boolean {
    return this.pausedAt !== null;
  }

  /** @throws ConflictError when the series is already paused */
  pause(now: Temporal.Instant): void {
    if (this.isPaused) throw new ConflictError('The series is paused already. It allows: resume.');
    this.pausedAt = now;
    recordChange(this, now);
  }

  /** @throws ConflictError when the series is not paused */
  resume(now: Temporal.Instant): void {
    if (!this.isPaused) throw new ConflictError('The series is not paused. It allows: pause.');
    this.pausedAt = null;
    recordChange(this, now);
  }

  /** Returns the applied plan and revision. @throws ConflictError when no plan was applied */
  requireAppliedPlan(): { designPlanId: number; revision: number } {
    const { designPlanId, revision } = this;
    if (designPlanId !== null && revision !== null) return { designPlanId, revision };
    throw new ConflictError('No Design Plan was applied to this series.');
  }

  /**
   * Sets the applied revision of the plan.
   *
   * @param newest number of the plan's newest revision
   * @throws ConflictError when no plan was applied, or the revision is not newer than the applied one
   */
  revise(revision: number, newest: number, now: Temporal.Instant): void {
    const applied = this.requireAppliedPlan().revision;
    if (revision <= applied) {
      throw new ConflictError(
        `The series follows revision ${applied} already, and can only go on to a newer one; the plan has ${newest}.`,
      );
    }
    this.revision = revision;
    recordChange(this, now);
  }
}
SessionSeriesSchema.setClass(SessionSeries);

function recordChange(series: SessionSeries, now: Temporal.Instant): void {
  series.version += 1;
  series.changedAt = now;
}
