import { formatInstant } from '../../shared/persistence/index.js';
import { Reminder } from './reminder.entity.js';
import type { SessionSnapshot } from './session-data.js';
import type { RecipientTimeSettings } from './timing/quiet-hours.js';

/** Creates the notice to the Care Provider about a Session that is cancelled by the erasure of its Client. */
export function createErasureNotice(
  session: SessionSnapshot,
  now: Temporal.Instant,
  settings: RecipientTimeSettings,
): Reminder {
  const rule = { kind: 'SESSION_ERASED', startsAt: formatInstant(session.startsAt) } as const;
  const notice = new Reminder(session, 'CARE_PROVIDER', rule, now, null, settings);
  // The erasure deletes the Session, and with it all reminders that refer to it.
  [notice.sessionId, notice.erasedSessionId] = [null, session.sessionId];
  return notice;
}
