import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { setRecordReferences } from '../../shared/audit-records/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import { acquireSharedClinicLockSql, executeDeferred, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { REDRIVE_FILTERS } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';
import { toReminderWithHistoryModel, type ReminderWithHistoryModel } from '../reading/reminder-model.dto.js';
import { toDueFilter } from '../reading/reminder.reader.js';
import type { RedriveQuery, RedriveResult } from './redrive.dto.js';

/** The maximum number of reminders that a single call redrives. */
const MAX_REDRIVEN = 1_000;

/** Redrives reminders for their Clinic. Each call is one transaction. */
@Injectable()
export class ReminderRedriveService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
  ) {}

  /**
   * Redrives one reminder, and returns it with its history.
   *
   * @throws NotFoundError if the Clinic has no such reminder
   * @throws ConflictError unless the reminder is DEAD or was skipped because it was too late
   */
  redrive(caller: ClinicPrincipal, id: number): Promise<ReminderWithHistoryModel> {
    return this.em.transactional(async (em) => {
      const clinicId = await this.requireClinicAndPreventRemoval(caller);
      const reminder = await em.findOne(Reminder, { clinicId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (reminder === null) throw new NotFoundError();
      reminder.redrive(this.clock.now());
      return toReminderWithHistoryModel(reminder);
    });
  }

  /** Redrives the Clinic's dead letters, or the reminders that were skipped because they were too late. */
  redriveAll(caller: ClinicPrincipal, { status, from, to }: RedriveQuery): Promise<RedriveResult> {
    return this.em.transactional(async (em) => {
      const clinicId = await this.requireClinicAndPreventRemoval(caller);
      const where = { clinicId, ...REDRIVE_FILTERS[status], $and: toDueFilter(from, to) };
      const options = { orderBy: { id: 'asc' }, limit: MAX_REDRIVEN, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
      const reminders = await em.find(Reminder, where, options);
      const now = this.clock.now();
      for (const reminder of reminders) reminder.redrive(now);
      return setRecordReferences({ redriven: reminders.length }, { reminderIds: reminders.map(({ id }) => id) });
    });
  }

  /** Retention would otherwise remove a reminder that had ended when it was read. */
  private async requireClinicAndPreventRemoval(caller: ClinicPrincipal): Promise<number> {
    await executeDeferred(this.em, acquireSharedClinicLockSql('retention', caller.clinicId));
    const { id } = await this.directory.requireClinic(caller);
    return id;
  }
}
