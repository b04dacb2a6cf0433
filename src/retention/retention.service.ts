import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { AuditRetention } from '../audit/index.js';
import { Directory } from '../directory/index.js';
import { SESSION_DATA_KINDS, SessionRetention } from '../session/index.js';
import type { ClinicPrincipal } from '../shared/access/index.js';
import { ConflictError, InvalidRequestError, PreconditionFailedError } from '../shared/errors/index.js';
import { acquireSharedClinicLockSql, executeDeferred, TenantEntityManager } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import type { ChosenRetentionPeriods } from './domain/retention-policy.js';
import type { RetentionKind } from './domain/retention-period.js';
import { RetentionSetting } from './domain/retention-setting.entity.js';
import {
  toRetentionModel,
  type CappedRowCount,
  type PutRetention,
  type RemovableRecordCount,
  type RetentionModel,
  type RetentionQuery,
} from './dto/retention-model.js';
import { RetentionSettingsReader, type RetentionLimits } from './retention-settings.reader.js';

/** Maximum number of rows that a request counts, to limit its work. The job has no such limit. */
const MAX_COUNTED = 100_000;
const NOTHING: CappedRowCount = { count: 0, isLowerBound: false };

type ClinicWithZone = { id: number; timeZone: string };

/** Lets a Clinic choose how long its data is kept, and shows how much data the next run would remove. */
@Injectable()
export class RetentionService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly settings: RetentionSettingsReader,
    private readonly sessions: SessionRetention,
    private readonly audit: AuditRetention,
    private readonly clock: Clock,
  ) {}

  get(caller: ClinicPrincipal): Promise<RetentionModel> {
    return this.em.transactional(async () => {
      const clinic = await this.directory.requireClinic(caller);
      return this.toModel(clinic, await this.settings.findNewest(this.em, clinic.id));
    });
  }

  /**
   * Stores the chosen periods as a new version, unless they equal the current ones.
   *
   * @throws InvalidRequestError if a period is outside the operator's bounds or longer than the period for Sessions
   * @throws PreconditionFailedError if the caller has seen another version
   */
  put(
    caller: ClinicPrincipal,
    chosen: PutRetention,
    { dryRun }: RetentionQuery,
    seenVersion: number | undefined,
  ): Promise<RetentionModel> {
    return rejectConcurrentChange(
      this.em.transactional(async (em) => {
        // Otherwise a run that has read the former periods would remove data that the answer says is kept.
        await executeDeferred(em, acquireSharedClinicLockSql('retention', caller.clinicId));
        const clinic = await this.directory.requireClinic(caller);
        this.requireAllowed(chosen);
        const previous = await this.settings.findNewest(em, clinic.id);
        if (seenVersion !== undefined && seenVersion !== (previous?.version ?? 0)) throw new PreconditionFailedError();
        const setting = new RetentionSetting(clinic.id, previous, chosen, this.clock.now());
        if (previous?.hasSameChoice(setting)) return this.toModel(clinic, previous);
        if (!dryRun) await em.persist(setting).flush();
        return this.toModel(clinic, setting);
      }),
    );
  }

  private requireAllowed(chosen: ChosenRetentionPeriods): void {
    const refused = this.settings.policy.findRefused(chosen, this.settings.today);
    if (refused.length === 0) return;
    throw new InvalidRequestError(refused.map(({ kind, detail }) => ({ pointer: `/${kind}`, detail })));
  }

  private async toModel(clinic: ClinicWithZone, setting: RetentionSetting | null): Promise<RetentionModel> {
    const chosen = setting?.chosen ?? {};
    const effective = this.settings.policy.resolve(chosen, this.settings.today);
    const removable = await this.countRemovable(clinic.id, this.settings.computeLimits(chosen, clinic.timeZone));
    return toRetentionModel(setting, { chosen, effective, removable }, this.settings.policy);
  }

  private async countRemovable(
    clinicId: number,
    limits: RetentionLimits,
  ): Promise<Record<RetentionKind, RemovableRecordCount>> {
    const counted = new Map<RetentionKind, RemovableRecordCount>();
    for (const kind of SESSION_DATA_KINDS) {
      const before = limits[kind];
      const rows =
        before && toCountedRows(await this.sessions.count(this.em, kind, { clinicId, before }, MAX_COUNTED + 1));
      counted.set(kind, { before, ...(rows ?? NOTHING) });
    }
    const entries = limits.audit && (await this.audit.count(this.em, clinicId, limits.audit));
    const before = this.settings.findAuditLimit(limits);
    counted.set('audit', { before, count: entries ?? 0, isLowerBound: false });
    return Object.fromEntries(counted) as Record<RetentionKind, RemovableRecordCount>;
  }
}

function toCountedRows(count: number): CappedRowCount {
  return { count: Math.min(count, MAX_COUNTED), isLowerBound: count > MAX_COUNTED };
}

/** @throws ConflictError if another request has stored the same version at the same time */
async function rejectConcurrentChange<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new ConflictError('The retention was changed by another request at the same time. Read it again.');
  }
}
