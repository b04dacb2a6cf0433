import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import {
  countedPageSchema,
  countQuery,
  instantQuery,
  longId,
  idListQuery,
  enumListQuery,
  nameListQuery,
  pageQuery,
  sortQuery,
} from '../../shared/validation/index.js';
import { HISTORY_EVENTS } from '../domain/reminder-history.js';
import { RECIPIENT_KINDS, REMINDER_KINDS } from '../domain/reminder-kinds.js';
import type { ReminderRule } from '../domain/reminder-rule.js';
import { REMINDER_STATUSES } from '../domain/reminder-status.js';
import type { Reminder } from '../domain/reminder.entity.js';
import { reminderIncludeShape, reminderIncludeQuery } from './included-session-lookup.js';

const instant = (description: string) => z.string().meta({ description, example: '2027-03-21T09:30:00.000Z' });

const reminderEventSchema = z
  .object({
    at: instant('Time of the event.'),
    what: z.enum(['PLANNED', ...HISTORY_EVENTS]).meta({ description: 'The event.', example: 'PLANNED' }),
    rule: z.string().optional().meta({ description: 'PLANNED: the rule.', example: 'reminders -P1D' }),
    anchor: z.string().optional().meta({
      description: 'PLANNED: the instant from which the rule counts.',
      example: 'the start of the Session',
    }),
    from: z.string().optional().meta({
      description: 'MOVED: the previous due time. RESCHEDULED: the previous send time.',
      example: '2027-03-20T09:30:00.000Z',
    }),
    to: z.string().optional().meta({
      description: 'MOVED: the new due time. RESCHEDULED: the new send time.',
      example: '2027-03-21T09:30:00.000Z',
    }),
    until: z
      .string()
      .optional()
      .meta({ description: 'DEFERRED, FAILED, ADVANCED: the new send time.', example: '2027-03-21T08:00:00.000Z' }),
    fromCareProviderId: longId('HANDED_OVER: the previous Care Provider of the Session.', 1).optional(),
    toCareProviderId: longId('HANDED_OVER: the new Care Provider of the Session.', 2).optional(),
    times: z
      .int()
      .optional()
      .meta({ description: 'DEFERRED: the number of consecutive deferrals that this event represents.', example: 2 }),
    reason: z.string().optional().meta({ description: 'The reason of the event.', example: 'QUIET_HOURS' }),
    attempt: z.int().optional().meta({ description: 'FAILED: the number of the attempt, from 1.', example: 1 }),
    errorClass: z.string().optional().meta({ description: 'FAILED: the class of the error.', example: 'Error' }),
    messageId: z.string().optional().meta({
      description: 'QUEUED: the message that contains the reminder.',
      example: '0b1f0c52-5d2e-4b0a-9b0e-2f5a3c1d7e11',
    }),
    startsAt: z
      .string()
      .optional()
      .meta({ description: 'SENT: the start of the Session in the message.', example: '2027-03-22T09:30:00.000Z' }),
    channel: z.string().optional().meta({ description: 'SENT, FAILED: the channel.', example: 'EMAIL' }),
    fallback: z.string().optional().meta({
      description:
        'SENT: settings of the recipient that this release does not know: TIME_ZONE, LOCALE or both. Those of the Clinic were used.',
      example: 'TIME_ZONE',
    }),
    providerId: z.string().optional().meta({
      description: 'SENT: the id that the mail server or another service gave to the message.',
      example: '<1@care.example.org>',
    }),
    late: z
      .boolean()
      .optional()
      .meta({ description: 'SENT: whether the message said that it was late.', example: false }),
  })
  .meta({ id: 'ReminderEvent', description: 'One event in the history of a reminder.' });

const reminderSchema = z
  .object({
    id: longId('Id of the record.'),
    sessionId: longId('The Session. Erased, if the reminder is the notice of its erasure.', 11),
    homeworkId: longId('The homework that the reminder is about. Null if it is about the Session.', 21).nullable(),
    kind: z.enum(REMINDER_KINDS).meta({ description: 'What the reminder is about.', example: 'SESSION' }),
    recipientKind: z
      .enum(RECIPIENT_KINDS)
      .meta({ description: 'Whether the recipient is a Client or a Care Provider.', example: 'CLIENT' }),
    recipientId: longId('Id of the Client or Care Provider.'),
    dueAt: instant('Due time.'),
    sendAt: instant('The due time, unless quiet hours or a retry have changed it.'),
    status: z.enum(REMINDER_STATUSES).meta({ description: 'State of the reminder.', example: 'PENDING' }),
    reason: z.string().nullable().meta({
      description:
        'Why the reminder is WITHDRAWN, SKIPPED or DEAD. Dead letters: UNDELIVERABLE (no channel can reach the recipient), LATENESS_REACHED (attempts failed until it was too late), ATTEMPTS_EXHAUSTED (the process crashed in each attempt).',
      example: null,
    }),
    messageId: z.string().nullable().meta({ description: 'The message that contains the reminder.', example: null }),
    channel: z
      .string()
      .nullable()
      .meta({ description: 'The channel of the last attempt. Null before the first one.', example: null }),
    ...reminderIncludeShape,
  })
  .meta({ id: 'Reminder', description: 'One reminder of one recipient.' });
export const reminderWithHistorySchema = reminderSchema
  .extend({
    history: z.array(reminderEventSchema).meta({ description: 'The events of the reminder, oldest first.' }),
    optedOut: z.boolean().optional().meta({
      description: 'PENDING, QUEUED, unless in an export: the recipient has opted out, so it will be skipped.',
      example: false,
    }),
  })
  .meta({ id: 'ReminderWithHistory', description: 'One reminder with its history.' });
export const reminderPageSchema = countedPageSchema(reminderSchema, 'ReminderPage');

export type ReminderModel = z.output<typeof reminderSchema>;
export type ReminderWithHistoryModel = z.output<typeof reminderWithHistorySchema>;

export const reminderQuery = pageQuery.extend({
  status: enumListQuery(REMINDER_STATUSES, 'Only reminders in these states. DEAD: dead letters.'),
  kind: enumListQuery(REMINDER_KINDS, 'Only reminders about Sessions, or about homework.'),
  recipientKind: enumListQuery(RECIPIENT_KINDS, 'Only reminders of Clients, or of Care Providers.'),
  recipientId: idListQuery('Only reminders of these recipients.'),
  caregiverId: idListQuery('Only those of these Care Providers.'),
  sessionId: idListQuery('Only those of these Sessions.'),
  channel: nameListQuery('Only reminders whose last attempt has used one of these channels.', 'LOG'),
  from: instantQuery('Only those whose time (start, due time, or time of the request) is this instant or later.'),
  to: instantQuery('Only those whose time is before this instant.'),
  include: reminderIncludeQuery,
  sort: sortQuery(['dueAt'], 'By due time.'),
  count: countQuery,
});

export const reminderReadQuery = z.object({ include: reminderIncludeQuery });
export type ReminderReadQuery = z.output<typeof reminderReadQuery>;
export type ReminderQuery = z.output<typeof reminderQuery>;

export function toReminderModel(reminder: Readonly<Reminder>): ReminderModel {
  const {
    id,
    subjectSessionId: sessionId,
    homeworkId,
    kind,
    recipientKind,
    recipientId,
    status,
    reason,
    messageId,
    channel,
  } = reminder;
  return {
    ...{ id, sessionId, homeworkId, kind, recipientKind, recipientId },
    dueAt: formatInstant(reminder.dueAt),
    sendAt: formatInstant(reminder.sendAt),
    ...{ status, reason, messageId, channel },
  };
}

export function toReminderWithHistoryModel(reminder: Readonly<Reminder>): ReminderWithHistoryModel {
  const { rule, createdAt } = reminder;
  const event = { what: 'PLANNED', rule: describeRule(rule), anchor: RULE_ANCHORS[rule.kind] } as const;
  const planned = { at: formatInstant(createdAt), ...event };
  return { ...toReminderModel(reminder), history: [planned, ...reminder.history] };
}

/** The instant from which the rules of each kind count, in the words of the history. */
export const RULE_ANCHORS: Readonly<Record<ReminderRule['kind'], string>> = {
  REMIND_DAYS: 'the creation of the Session',
  AROUND_START: 'the start of the Session',
  HOMEWORK: 'the day of the Session, which is day 1',
  SESSION_ERASED: 'the erasure of the Client',
};

function describeRule(rule: ReminderRule): string {
  switch (rule.kind) {
    case 'REMIND_DAYS':
      return `remindDays ${rule.days}`;
    case 'AROUND_START':
      return `reminders ${rule.offset}`;
    case 'HOMEWORK':
      return `assignReminds day ${rule.reminderDay} at ${rule.time} in ${rule.timeZone}`;
    case 'SESSION_ERASED':
      return `sessionErased ${rule.startsAt}`;
  }
}
