import { defineEntity, p } from '@mikro-orm/core';
import { ConflictError, PreconditionFailedError } from '../../shared/errors/index.js';
import { columns } from '../../shared/persistence/index.js';
import { DesignPlanRevision } from './design-plan-revision.entity.js';
import type { Week } from './plan-content.js';

const DesignPlanSchema = defineEntity({
  name: 'DesignPlan',
  tableName: 'design_plan',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    caregiverId: columns.reference().nullable().strictNullable(),
    planName: p.text(),
    createdDate: columns.instant(),
    appointmentTitle: p.text().nullable().strictNullable(),
    appointmentDesc: p.text().nullable().strictNullable(),
    weeks: p.json<Week[]>(),
    /** Counts what the plan has said: 1, and one more with each replacement. */
    revision: p.integer(),
    /** Counts every change, of content or state: the entity tag. */
    version: p.integer(),
    template: p.boolean(),
    archivedAt: columns.instant().nullable().strictNullable(),
  },
});

export type DesignPlanData = {
  planName: string;
  createdDate: Temporal.Instant;
  caregiverId?: number;
  appointmentTitle?: string;
  appointmentDesc?: string;
  weeks: readonly Week[];
  template?: boolean;
};

/**
 * A schedule of weeks of homework (specification, 2.3). The weeks have no identity of their own, so
 * they are one JSON document: one write, one read.
 */
export class DesignPlan extends DesignPlanSchema.class {
  constructor(clinicId: number, data: DesignPlanData) {
    super();
    this.clinicId = clinicId;
    this.revision = 1;
    this.version = 1;
    this.archivedAt = null;
    this.setContent(data);
  }

  /**
   * Replaces what the plan says. Returns the revision that this supersedes, to be kept.
   *
   * @throws PreconditionFailedError when the caller has seen another version
   * @throws ConflictError when the plan is archived
   */
  replace(data: DesignPlanData, seenVersion: number, now: Temporal.Instant): DesignPlanRevision {
    if (seenVersion !== this.version) throw new PreconditionFailedError();
    if (this.archivedAt !== null) throw new ConflictError('The plan is archived: restore it first.');
    const superseded = new DesignPlanRevision(this, now);
    this.setContent(data);
    this.revision += 1;
    this.version += 1;
    return superseded;
  }

  /** Takes the plan out of the lists; what refers to it stays. Again changes nothing. */
  archive(now: Temporal.Instant): void {
    if (this.archivedAt !== null) return;
    this.archivedAt = now;
    this.version += 1;
  }

  /** Brings an archived plan back. Again changes nothing. */
  restore(): void {
    if (this.archivedAt === null) return;
    this.archivedAt = null;
    this.version += 1;
  }

  /** A new plan that says the same. */
  clone(change: { planName?: string; template?: boolean }, now: Temporal.Instant): DesignPlan {
    return new DesignPlan(this.clinicId, {
      planName: change.planName ?? this.planName,
      createdDate: now,
      caregiverId: this.caregiverId ?? undefined,
      appointmentTitle: this.appointmentTitle ?? undefined,
      appointmentDesc: this.appointmentDesc ?? undefined,
      weeks: this.weeks,
      template: change.template ?? false,
    });
  }

  private setContent(data: DesignPlanData): void {
    this.caregiverId = data.caregiverId ?? null;
    this.planName = data.planName;
    this.createdDate = data.createdDate;
    this.appointmentTitle = data.appointmentTitle ?? null;
    this.appointmentDesc = data.appointmentDesc ?? null;
    this.weeks = data.weeks.toSorted((a, b) => a.ordering - b.ordering);
    this.template = data.template ?? false;
  }
}
DesignPlanSchema.setClass(DesignPlan);
