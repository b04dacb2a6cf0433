import type { Reminder } from '../reminder/index.js';
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

function timeWarnings({ status, reason, settledAt, dueAt }: Reminder, now: Temporal.Instant): Warning[] {
  const isNew = settledAt?.epochMilliseconds === now.epochMilliseconds;
  if (status === 'SKIPPED' && reason === 'PAST_WHEN_PLANNED' && isNew)
    return [{ kind: 'REMINDER_IN_THE_PAST', detail: PAST }];
  if (status === 'PENDING' && dueAt.epochMilliseconds < now.epochMilliseconds)
    return [{ kind: 'REMINDER_IN_THE_PAST', detail: 'A reminder was due before now: it is sent at once.' }];
  return [];
}

const PAST =
  'A reminder was due more than 15 minutes before now, or before the Session began: it is not sent (PAST_WHEN_PLANNED).';
