import { z } from 'zod';
import { getRuleTimeZone, REMINDER_STATUSES, type Reminder } from '../../../reminder/index.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate, formatLocalDateTime } from '../../../shared/time/index.js';
import type { Session } from '../../domain/session.entity.js';

/* The schema of a reminder in responses of operations that change Sessions, and the schemas of its local times. */

export const utcInstantSchema = (description: string) =>
  z.string().meta({ description, example: '2027-03-28T08:30:00.000Z' });
export const localDateSchema = z
  .string()
  .meta({ description: 'Local date, yyyy/MM/dd, in `timeZone`.', example: '2027/03/28' });
export const localTimeSchema = z.string().meta({ description: 'Local time, HH:mm, in `timeZone`.', example: '09:30' });
export const timeZoneSchema = z.string().meta({
  description: 'Time zone of the date and time: an IANA name, or an offset such as +05:30.',
  example: 'Europe/London',
});

export const plannedReminderSchema = z
  .object({
    recipient: z
      .enum(['CLIENT', 'CARE_PROVIDER'])
      .meta({ description: 'Recipient of the reminder.', example: 'CLIENT' }),
    rule: z.string().meta({
      description: '`remindDays`, `reminders` with its duration, or the day and time of the plan week.',
      example: 'day 2 at 20:00',
    }),
    date: localDateSchema,
    time: localTimeSchema,
    timeZone: timeZoneSchema,
    dueAt: utcInstantSchema('Due time.'),
    status: z.enum(REMINDER_STATUSES).meta({ description: 'State of the reminder.', example: 'PENDING' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the reminder is WITHDRAWN, SKIPPED or DEAD.', example: null }),
  })
  .meta({ id: 'PlannedReminder', description: 'One reminder of one recipient.' });

export function toPlannedReminder({ rule, recipientKind, dueAt, status, reason }: Reminder, session: Session) {
  const timeZone = getRuleTimeZone(rule, session);
  const { date, time } = formatLocalDateTime(dueAt.toZonedDateTimeISO(timeZone));
  return {
    recipient: recipientKind,
    rule: formatRule(rule),
    date: formatSlashDate(date),
    time,
    timeZone,
    dueAt: formatInstant(dueAt),
    status,
    reason,
  };
}

function formatRule(rule: Reminder['rule']): string {
  switch (rule.kind) {
    case 'REMIND_DAYS':
      return `remindDays ${rule.days}`;
    case 'AROUND_START':
      return rule.offset;
    case 'HOMEWORK':
      return `day ${rule.reminderDay} at ${rule.time}`;
    case 'SESSION_ERASED':
      return 'notice of the erasure';
  }
}
