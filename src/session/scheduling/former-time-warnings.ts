import { announceOnlyFormerStarts, type Reminder } from '../../reminder/index.js';
import { isBefore } from '../../shared/time/index.js';
import type { ScheduleWarning } from '../domain/schedule-warning.js';
import type { Session } from '../domain/session.entity.js';

const RECIPIENTS = { CLIENT: 'Client', CARE_PROVIDER: 'Care Provider' } as const;

/**
 * Finds the people who were reminded of a Session at its former time, and who get no reminder of the new time before the
 * Session starts.
 */
export function findFormerTimeWarnings(
  reminders: readonly Reminder[],
  sessions: readonly Session[],
  now: Temporal.Instant,
): ScheduleWarning[] {
  // Most changes are to Sessions of which no reminder was sent, such as all new ones.
  if (!reminders.some(({ status }) => status === 'SENT')) return [];
  const bySession = Map.groupBy(
    reminders.filter(({ kind, notAfter }) => kind === 'SESSION' && notAfter !== null),
    ({ subjectSessionId }) => subjectSessionId,
  );
  return sessions.flatMap((session) => {
    if (session.status !== 'SCHEDULED' || !isBefore(now, session.startsAt)) return [];
    const byRecipient = Map.groupBy(bySession.get(session.id) ?? [], ({ recipientKind }) => recipientKind);
    return [...byRecipient].flatMap(([kind, ofRecipient]) =>
      isOnlyRemindedOfFormerTime(ofRecipient, session) ? [toWarning(RECIPIENTS[kind], session)] : [],
    );
  });
}

function isOnlyRemindedOfFormerTime(reminders: readonly Reminder[], { startsAt }: Session): boolean {
  const sent = reminders.filter(({ status }) => status === 'SENT');
  return (
    announceOnlyFormerStarts(sent, startsAt) &&
    !reminders.some(({ status, sendAt }) => isWaiting(status) && isBefore(sendAt, startsAt))
  );
}

function isWaiting(status: Reminder['status']): boolean {
  return status === 'PENDING' || status === 'QUEUED';
}

function toWarning(recipient: string, { position }: Session): ScheduleWarning {
  const detail = `The ${recipient} was reminded of the former time, and gets no reminder of the new one before the Session.`;
  return { kind: 'REMINDED_OF_FORMER_TIME', detail, position };
}
