import type { Reminder } from '../reminder/index.js';
import { formatInstant } from '../shared/persistence/index.js';
import type { Session } from './session.entity.js';
import type { Warning } from './warnings.js';

/** What is worth telling of a reminder that was planned or changed just now. */
export function reminderWarnings(reminder: Reminder, sessions: readonly Session[], now: Temporal.Instant): Warning[] {
  const { rule, sessionId } = reminder;
  const about = {
    position: sessions.find((session) => session.id === sessionId)?.position,
    ...(rule.kind === 'HOMEWORK' ? { bookId: rule.bookId } : {}),
  };
  return timeWarnings(reminder, now).map((warning) => ({ ...warning, ...about }));
}

function timeWarnings(reminder: Reminder, now: Temporal.Instant): Warning[] {
  const { status, reason, settledAt, dueAt } = reminder;
  const isNew = settledAt?.epochMilliseconds === now.epochMilliseconds;
  if (status === 'SKIPPED' && reason === 'PAST_WHEN_PLANNED' && isNew)
    return [{ kind: 'REMINDER_IN_THE_PAST', detail: PAST }];
  if (status === 'SKIPPED' && reason === 'QUIET_HOURS' && isNew)
    return [{ kind: 'QUIET_HOURS', detail: 'Quiet hours last until the Session begins: a reminder is not sent.' }];
  if (status !== 'PENDING') return [];
  if (dueAt.epochMilliseconds < now.epochMilliseconds)
    return [{ kind: 'REMINDER_IN_THE_PAST', detail: 'A reminder was due before now: it is sent at once.' }];
  return isAdvanced(reminder) ? [advanced(reminder)] : [];
}

function isAdvanced({ sendAt, dueAt }: Reminder): boolean {
  return sendAt.epochMilliseconds < dueAt.epochMilliseconds;
}

function advanced({ dueAt, sendAt }: Reminder): Warning {
  const detail =
    `Quiet hours end less than 30 minutes before the Session: a reminder that is due at ${formatInstant(dueAt)} ` +
    `is sent at ${formatInstant(sendAt)}, before they begin.`;
  return { kind: 'QUIET_HOURS', detail };
}

const PAST =
  'A reminder was due more than 15 minutes before now, or before the Session began: it is not sent (PAST_WHEN_PLANNED).';
