import { defineEntity, p } from '@mikro-orm/core';
import { ConflictError } from '../../shared/errors/index.js';
import { columns } from '../../shared/persistence/index.js';

const SessionSeriesSchema = defineEntity({
  name: 'SessionSeries',
  tableName: 'session_series',
  properties: {
    id: p.uuid().primary(),
    clinicId: columns.reference(),
    designPlanId: columns.reference().nullable().strictNullable(),
    /** The revision of the plan that was applied; null: the plan only gave title and description. */
    revision: p.integer().nullable().strictNullable(),
    /** Which weeks of the plan were asked for, by `ordering`; null: from the first, to the last. */
    fromWeek: p.integer().nullable().strictNullable(),
    toWeek: p.integer().nullable().strictNullable(),
    /** Of Sessions that a revision adds. The database fills it in where the release before this one has written the row. */
    caregiverId: columns.reference().nullable().strictNullable(),
    intervalDays: p.integer(),
    /** Days after its creation at which a Session is reminded of; null: it is not. */
    remindDays: p.integer().nullable().strictNullable(),
    /** Reminders around the start that every Session of the series has: ISO 8601 durations. */
    reminders: p.json<string[]>(),
    pausedAt: columns.instant().nullable().strictNullable(),
    createdAt: columns.instant(),
  },
});

export type SessionSeriesData = {
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

/** The Sessions of one call: an applied plan, or a few appointments that belong together. */
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
  }

  /** Who has the Sessions of this series that are still to come. */
  get careProviderId(): number {
    return this.caregiverId!;
  }

  get isPaused(): boolean {
    return this.pausedAt !== null;
  }

  /** @throws ConflictError when it is paused already */
  pause(now: Temporal.Instant): void {
    if (this.isPaused) throw new ConflictError('The series is paused already; legal is: resume.');
    this.pausedAt = now;
  }

  /** @throws ConflictError when it is not paused */
  resume(): void {
    if (!this.isPaused) throw new ConflictError('The series is not paused; legal is: pause.');
    this.pausedAt = null;
  }

  /** Goes over to another revision of its plan. @throws ConflictError when no plan was applied */
  revise(revision: number): void {
    if (this.revision === null) throw new ConflictError('No Design Plan was applied to this series.');
    this.revision = revision;
  }
}
SessionSeriesSchema.setClass(SessionSeries);
