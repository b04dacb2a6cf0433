import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { UPCOMING_STATUSES } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';
import { TimeSettingsReader } from './time-settings-reader.js';

/** Finds the upcoming reminders of homework. Runs in the caller's transaction. */
@Injectable()
export class UpcomingHomeworkReminders {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeSettings: TimeSettingsReader,
  ) {}

  /** Returns the unsent reminders, without those that their recipients have opted out of, ordered by due time. */
  async find(clinicId: number, homeworkIds: readonly number[]): Promise<Reminder[]> {
    const where = { clinicId, homeworkId: { $in: [...homeworkIds] }, status: { $in: [...UPCOMING_STATUSES] } };
    const reminders = await this.em.find(Reminder, where, { orderBy: { dueAt: 'asc', id: 'asc' } });
    if (reminders.length === 0) return [];
    const recipients = reminders.map(({ recipientKind: kind, recipientId: id }) => ({ kind, id }));
    const { preferences } = await this.timeSettings.findPreferences(clinicId, recipients);
    return reminders.filter((reminder) => !preferences.get(reminder.recipientKey)?.excludes(reminder));
  }
}
