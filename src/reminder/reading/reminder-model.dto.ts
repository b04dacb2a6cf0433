import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { idQuery, instantQuery, longId, pageQuery, pageSchema } from '../../shared/validation/index.js';
import type { ReminderRule } from '../domain/reminder-rule.js';
import { REMINDER_STATUSES } from '../domain/reminder-status.js';
import type { Reminder } from '../domain/reminder.entity.js';
import { REMINDER_KINDS } from '../domain/delivery-decision.js';

/* A reminder as it explains itself. */

const instant = (description: string) => z.string().meta({ description, example: '2027-03-21T09:30:00.000Z' });

const chapter = z
  .object({
    at: instant('When, ISO 8601 in UTC.'),
    what: z
      .enum([
        ...['PLANNED', 'MOVED', 'HANDED_OVER', 'WITHDRAWN', 'RESTORED', 'DEFERRED', 'ADVANCED', 'RESCHEDULED'],
        ...['QUEUED', 'FAILED', 'SENT', 'SKIPPED', 'DEAD', 'REDRIVEN'],
      ] as [string, ...string[]])
      .meta({ description: 'What has happened.', example: 'PLANNED' }),
    rule: z.string().optional().meta({ description: 'PLANNED: by which rule.', example: 'reminders -P1D' }),
    anchor: z
      .string()
      .optional()
      .meta({ description: 'PLANNED: from where it counts.', example: 'the start of the Session' }),
    from: z.string().optional().meta({
      description: 'MOVED: when it was due before. RESCHEDULED: when it was to be sent before.',
      example: '2027-03-20T09:30:00.000Z',
    }),
    to: z.string().optional().meta({
      description: 'MOVED: when it is due since. RESCHEDULED: when it is to be sent since.',
      example: '2027-03-21T09:30:00.000Z',
    }),
    until: z
      .string()
      .optional()
      .meta({ description: 'DEFERRED, FAILED: until when. ADVANCED: to when.', example: '2027-03-21T08:00:00.000Z' }),
    fromCareProviderId: longId('HANDED_OVER: whose Session it was.', 1).optional(),
    toCareProviderId: longId('HANDED_OVER: whose Session it is since.', 2).optional(),
    times: z.int().optional().meta({ description: 'DEFERRED: the last of so many in a row.', example: 2 }),
    reason: z.string().optional().meta({ description: 'Why.', example: 'QUIET_HOURS' }),
    attempt: z.int().optional().meta({ description: 'FAILED: which attempt, from 1.', example: 1 }),
    errorClass: z.string().optional().meta({ description: 'FAILED: the class of the error.', example: 'Error' }),
    messageId: z
      .string()
      .optional()
      .meta({ description: 'QUEUED: with which message.', example: '0b1f0c52-5d2e-4b0a-9b0e-2f5a3c1d7e11' }),
    channel: z.string().optional().meta({ description: 'SENT, FAILED: by which channel.', example: 'EMAIL' }),
    fallback: z.string().optional().meta({
      description:
        "SENT: which of the recipient's settings this release does not know, so that the Clinic's were used: TIME_ZONE, LOCALE or both.",
      example: 'TIME_ZONE',
    }),
    providerId: z
      .string()
      .optional()
      .meta({ description: 'SENT: what the other side calls it.', example: '<1@care.example.org>' }),
    late: z.boolean().optional().meta({ description: 'SENT: whether it said that it was late.', example: false }),
  })
  .meta({ id: 'ReminderChapter', description: 'One thing that has happened to a reminder.' });

export const reminderSchema = z
  .object({
    id: longId('Id of the reminder.', 31),
    sessionId: longId('The Session.', 11),
    homeworkId: longId('The homework that it reminds of.', 21).nullable(),
    kind: z.enum(REMINDER_KINDS).meta({ description: 'What it is about.', example: 'SESSION' }),
    recipientKind: z.enum(['CLIENT', 'CARE_PROVIDER']).meta({ description: 'Who is reminded.', example: 'CLIENT' }),
    recipientId: longId('Id of the Client or Care Provider.'),
    dueAt: instant('When it is due, ISO 8601 in UTC.'),
    sendAt: instant('When it is handed over: when it is due, or earlier or later for quiet hours or another attempt.'),
    status: z.enum(REMINDER_STATUSES).meta({ description: 'State of the reminder.', example: 'PENDING' }),
    reason: z.string().nullable().meta({
      description:
        'Why it is WITHDRAWN, SKIPPED or DEAD. Dead letters: UNDELIVERABLE (no channel reaches the recipient), LATENESS_REACHED (tried until it was too late), ATTEMPTS_EXHAUSTED (processes died while they had it).',
      example: null,
    }),
    messageId: z.string().nullable().meta({ description: 'The message that it goes out with.', example: null }),
  })
  .meta({ id: 'Reminder', description: 'One reminder of one recipient.' });
export const reminderStorySchema = reminderSchema
  .extend({ story: z.array(chapter).meta({ description: 'All that has happened to it, in order.' }) })
  .meta({ id: 'ReminderStory', description: 'One reminder with its whole story.' });
export const reminderPageSchema = pageSchema(reminderSchema, 'ReminderPage');
export const redrivenSchema = z
  .object({ redriven: z.int().meta({ description: 'How many reminders are sent again.', example: 3 }) })
  .meta({ id: 'Redriven', description: 'Reminders that are sent again.' });

export type ReminderModel = z.output<typeof reminderSchema>;
export type ReminderStoryModel = z.output<typeof reminderStorySchema>;
export type Redriven = z.output<typeof redrivenSchema>;

export const reminderQuery = pageQuery.extend({
  status: z
    .enum(REMINDER_STATUSES, { error: `must be one of ${REMINDER_STATUSES.join(', ')}` })
    .optional()
    .meta({ description: 'Only reminders in this state; DEAD: the dead letters.', example: 'DEAD' }),
  recipientKind: z
    .enum(['CLIENT', 'CARE_PROVIDER'], { error: 'must be CLIENT or CARE_PROVIDER' })
    .optional()
    .meta({ description: 'Only reminders of Clients, or of Care Providers.', example: 'CLIENT' }),
  recipientId: idQuery('Only reminders of this recipient.'),
  sessionId: idQuery('Only reminders of this Session.'),
  from: instantQuery('Only reminders that are due at this instant or later.'),
  to: instantQuery('Only reminders that are due before this instant.'),
});
export type ReminderQuery = z.output<typeof reminderQuery>;

export const redriveQuery = z.object({
  status: z
    .enum(['DEAD', 'SKIPPED'], { error: 'must be DEAD or SKIPPED' })
    .default('DEAD')
    .meta({ description: 'DEAD: the dead letters. SKIPPED: what was skipped as too late.', example: 'DEAD' }),
  from: instantQuery('Only reminders that were due at this instant or later.'),
  to: instantQuery('Only reminders that were due before this instant.'),
});
export type RedriveQuery = z.output<typeof redriveQuery>;

export function viewReminder(reminder: Reminder): ReminderModel {
  const { id, sessionId, homeworkId, kind, recipientKind, recipientId, status, reason, messageId } = reminder;
  return {
    ...{ id, sessionId, homeworkId, kind, recipientKind, recipientId },
    dueAt: formatInstant(reminder.dueAt),
    sendAt: formatInstant(reminder.sendAt),
    ...{ status, reason, messageId },
  };
}

export function tellStory(reminder: Reminder): ReminderStoryModel {
  const planned = { at: formatInstant(reminder.createdAt), what: 'PLANNED', ...explained(reminder.rule) };
  return { ...viewReminder(reminder), story: [planned, ...reminder.story] };
}

function explained(rule: ReminderRule): { rule: string; anchor: string } {
  switch (rule.kind) {
    case 'REMIND_DAYS':
      return { rule: `remindDays ${rule.days}`, anchor: 'the creation of the Session' };
    case 'AROUND_START':
      return { rule: `reminders ${rule.offset}`, anchor: 'the start of the Session' };
    case 'HOMEWORK':
      return {
        rule: `assignReminds day ${rule.reminderDay} at ${rule.time} in ${rule.timeZone}`,
        anchor: 'the day of the Session, which is day 1',
      };
  }
}
