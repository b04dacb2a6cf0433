import { defineEntity, p } from '@mikro-orm/core';
import { isDeepStrictEqual } from 'node:util';
import { ConflictError, requireVersion, UnprocessableError, type Violation } from '../../shared/errors/index.js';
import { columnTypes } from '../../shared/persistence/index.js';
import { DesignPlanRevision } from './design-plan-revision.entity.js';
import { toUnreadableWeeks, type PlanWeek } from './plan-content.js';

const DesignPlanSchema = defineEntity({
  name: 'DesignPlan',
  tableName: 'design_plan',
  properties: {
    id: columnTypes.id(),
    clinicId: columnTypes.reference(),
    caregiverId: columnTypes.reference().nullable().strictNullable(),
    planName: columnTypes.encrypted('CLINIC', 'clinicId'),
    createdDate: columnTypes.instant(),
    appointmentTitle: columnTypes.encrypted('CLINIC', 'clinicId').nullable().strictNullable(),
    appointmentDesc: columnTypes.encrypted('CLINIC', 'clinicId').nullable().strictNullable(),
    weeks: columnTypes.encryptedJson('CLINIC', 'clinicId', toUnreadableWeeks),
    /** Number of the current revision. Starts at 1 and is incremented with each replacement. */
    revision: p.integer(),
    /** Incremented with each change of content or state. Used as the entity tag. */
    version: p.integer(),
    template: p.boolean(),
    archivedAt: columnTypes.instant().nullable().strictNullable(),
    /** Time of the last change of content or state. */
    updatedAt: columnTypes.instant(),
  },
});

export type DesignPlanData = {
  planName: string;
  createdDate: Temporal.Instant;
  caregiverId?: number;
  appointmentTitle?: string;
  appointmentDesc?: string;
  weeks: readonly PlanWeek[];
  template?: boolean;
};

/** Fields that a plan contains when it is read, but that only the service can change. */
type ReadOnlyFields = {
  id?: number | null | undefined;
  revision?: number | null | undefined;
  version?: number | null | undefined;
  archived?: boolean | null | undefined;
};

/**
 * A schedule of weekly homework (docs/specification.md, "DesignPlanModel"). The weeks have no IDs and are always read
 * together, so they are stored as one JSON document.
 */
export class DesignPlan extends DesignPlanSchema.class {
  constructor(clinicId: number, data: DesignPlanData, now: Temporal.Instant) {
    super();
    this.clinicId = clinicId;
    this.revision = 1;
    this.version = 1;
    this.archivedAt = null;
    this.updatedAt = now;
    this.setContent(data);
  }

  /**
   * Checks whether the content may be replaced.
   *
   * @param seenVersion the version that the caller has read
   * @param sent fields that only the service can change, as the caller has sent them; absent or null means not sent
   * @throws PreconditionFailedError when `seenVersion` is not the current version
   * @throws ConflictError when the plan is archived
   * @throws UnprocessableError when a sent field differs
   */
  requireReplaceable(seenVersion: number, sent: ReadOnlyFields = {}): void {
    requireVersion(this, seenVersion);
    if (this.archivedAt !== null) throw new ConflictError('The plan is archived: restore it first.');
    const { id, revision, version } = this;
    const current = { id, revision, version, archived: false };
    const violations = Object.entries(current).flatMap(([name, value]): Violation[] => {
      const given = sent[name as keyof ReadOnlyFields] ?? value;
      return given === value ? [] : [{ pointer: `/${name}`, detail: `is read-only: must be absent or ${value}` }];
    });
    if (violations.length > 0) throw new UnprocessableError(violations);
  }

  /** @throws ConflictError when the plan is archived or a template */
  requireApplicable(): void {
    if (this.template) throw new ConflictError('The plan is a template. Clone it, and apply the copy.');
    if (this.archivedAt !== null) throw new ConflictError('The plan is archived. Restore it before it is applied.');
  }

  /**
   * Replaces the content. Returns the superseded revision, which the caller must store, or undefined if the content is
   * the same: then nothing changes.
   */
  replace(data: DesignPlanData, now: Temporal.Instant): DesignPlanRevision | undefined {
    if (this.hasContent(data)) return undefined;
    const superseded = new DesignPlanRevision(this, now);
    this.setContent(data);
    this.revision += 1;
    this.recordChange(now);
    return superseded;
  }

  /**
   * Archives the plan, so it can be neither applied nor replaced. By default, lists no longer contain it. References to
   * it stay valid. Idempotent.
   */
  archive(now: Temporal.Instant): void {
    if (this.archivedAt !== null) return;
    this.archivedAt = now;
    this.recordChange(now);
  }

  /** Restores an archived plan. Idempotent. */
  restore(now: Temporal.Instant): void {
    if (this.archivedAt === null) return;
    this.archivedAt = null;
    this.recordChange(now);
  }

  /** Creates a copy of the plan, with its own revisions. The copy is a template only if `change.template` is true. */
  createCopy(change: { planName?: string; template?: boolean }, now: Temporal.Instant): DesignPlan {
    const data = {
      planName: change.planName ?? this.planName,
      createdDate: now,
      caregiverId: this.caregiverId ?? undefined,
      appointmentTitle: this.appointmentTitle ?? undefined,
      appointmentDesc: this.appointmentDesc ?? undefined,
      weeks: this.weeks,
      template: change.template ?? false,
    };
    return new DesignPlan(this.clinicId, data, now);
  }

  private recordChange(now: Temporal.Instant): void {
    this.version += 1;
    this.updatedAt = now;
  }

  private hasContent(data: DesignPlanData): boolean {
    const { createdDate, ...content } = toContent(data);
    const isSame = Object.entries(content).every(([name, value]) => isDeepStrictEqual(Reflect.get(this, name), value));
    // Callers read this time in milliseconds.
    return isSame && createdDate.epochMilliseconds === this.createdDate.epochMilliseconds;
  }

  private setContent(data: DesignPlanData): void {
    Object.assign(this, toContent(data));
  }
}
DesignPlanSchema.setClass(DesignPlan);

function toContent({ planName, createdDate, caregiverId, appointmentTitle, appointmentDesc, ...rest }: DesignPlanData) {
  return {
    planName,
    createdDate,
    caregiverId: caregiverId ?? null,
    appointmentTitle: appointmentTitle ?? null,
    appointmentDesc: appointmentDesc ?? null,
    weeks: rest.weeks.toSorted((a, b) => a.ordering - b.ordering),
    template: rest.template ?? false,
  };
}
