import {
  findToldStarts,
  getRecipientId,
  isLastToldStartFormer,
  isUpcoming,
  type Reminder,
} from '../../reminder/index.js';
import { isBefore } from '../../shared/time/index.js';
import { RECIPIENT_NAMES, type ScheduleWarning } from '../domain/schedule-warning.js';
import type { Session } from '../domain/session.entity.js';

/**
 * Finds the people whose last message about a Session is wrong after a change: they were reminded of its former time, or
 * of a Session that has just been cancelled or paused, and get no message about the change before it would start. Former
 * Care Providers of the Session are left out.
 *
 * @param hasOptedOut whether the recipient has opted out of a reminder, so that it will not be sent
 */
export function findOutdatedMessageWarnings(
  reminders: readonly Reminder[],
  sessions: readonly Session[],
  now: Temporal.Instant,
  hasOptedOut: (reminder: Reminder) => boolean,
): ScheduleWarning[] {
  // Most changes are to Sessions of which no reminder was sent, such as all new ones.
  if (findToldStarts(reminders).length === 0) return [];
  const bySession = Map.groupBy(reminders, ({ subjectSessionId }) => subjectSessionId);
  return sessions.flatMap((session) => {
    if (!isBefore(now, session.startsAt)) return [];
    const own = (bySession.get(session.id) ?? []).filter(
      ({ recipientKind, recipientId }) => recipientId === getRecipientId(session, recipientKind),
    );
    const byRecipient = Map.groupBy(own, ({ recipientKind }) => recipientKind);
    return [...byRecipient].flatMap(([kind, ofRecipient]) => {
      const tellStart = ofRecipient.filter((reminder) => reminder.kind === 'SESSION' && reminder.notAfter !== null);
      const expected = tellStart.filter((reminder) => isUpcoming(reminder.status) && !hasOptedOut(reminder));
      return findWarning(RECIPIENT_NAMES[kind], session, findToldStarts(ofRecipient), expected, now) ?? [];
    });
  });
}

function findWarning(
  recipient: string,
  session: Session,
  told: ReturnType<typeof findToldStarts>,
  expected: readonly Reminder[],
  now: Temporal.Instant,
): ScheduleWarning | undefined {
  const { status, position, startsAt } = session;
  if (status === 'SCHEDULED') {
    const isToldInTime = expected.some(({ sendAt }) => isBefore(sendAt, startsAt));
    if (isToldInTime || !isLastToldStartFormer(told, startsAt)) return undefined;
    const detail = `The ${recipient} was reminded of the former time, and gets no reminder of the new one before the Session.`;
    return { kind: 'REMINDED_OF_FORMER_TIME', detail, position };
  }
  if (told.length === 0 || !session.hasChangedStatusAt(now)) return undefined;
  const change = status === 'PAUSED' ? 'that it is paused' : 'about its cancellation';
  const detail = `The ${recipient} was reminded of the Session, and gets no message ${change}.`;
  return { kind: 'NOT_TOLD_OF_CANCELLATION', detail, position };
}
