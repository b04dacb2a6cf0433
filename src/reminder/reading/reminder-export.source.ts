import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { findClientRecordIds, type ExportedClient, type ExportPage } from '../../shared/client-export/index.js';
import { TenantEntityManager, UNTRACKED } from '../../shared/persistence/index.js';
import { Reminder } from '../domain/reminder.entity.js';
import { toReminderWithHistoryModel, type ReminderWithHistoryModel } from './reminder-model.dto.js';

/**
 * Reads the reminders that a Client has received or will receive, with their histories. Reminders to Care Providers
 * about the same Sessions are left out, because they show when a Care Provider wants to be reminded.
 */
@Injectable()
export class ReminderExportSource {
  constructor(private readonly em: TenantEntityManager) {}

  async readReminders(
    { clinicId, clientId }: ExportedClient,
    after?: number,
  ): Promise<ExportPage<ReminderWithHistoryModel, number>> {
    // The search starts from the Client's Sessions, because the index by recipient contains only unsent reminders.
    const own = sql`
      select r.id from session s join reminder r on r.clinic_id = s.clinic_id and r.session_id = s.id
      where s.clinic_id = ${clinicId} and s.client_id = ${clientId}
        and r.recipient_kind = 'CLIENT' and r.recipient_id = ${clientId}`;
    const { ids, next } = await findClientRecordIds(this.em, own, after, Number);
    const options = { ...UNTRACKED, orderBy: { id: 'asc' } } as const;
    const found = await this.em.find(Reminder, { clinicId, id: { $in: ids } }, options);
    return { items: found.map(toReminderWithHistoryModel), next };
  }
}
