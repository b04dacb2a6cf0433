import { formatInstant } from '../../shared/persistence/index.js';
import { retryAt } from '../domain/attempts.js';
import { classOf } from './database-retry.js';
import type { DeliveryOutcome } from './outcome-writer.js';
import type { SkipReason } from '../domain/delivery-decision.js';

/* What becomes of a reminder that is not sent now. */

export function skipped(id: number, reason: string): DeliveryOutcome {
  return { id, status: 'SKIPPED', reason, story: { what: 'SKIPPED', reason } };
}

export function dead(id: number, reason: string): DeliveryOutcome {
  return { id, status: 'DEAD', reason, story: { what: 'DEAD', reason } };
}

/** It waits: the row does, not a job of the queue, whose attempts count crashes alone. */
export function deferred(id: number, until: Temporal.Instant, reason: string): DeliveryOutcome {
  return { id, status: 'PENDING', sendAt: until, story: { what: 'DEFERRED', reason, until: formatInstant(until) } };
}

/** As `deferred`, after an attempt that has failed: of a channel, where it came as far as that. */
export function failed(
  id: number,
  until: Temporal.Instant,
  attempt: { attempt: number; channel?: string },
  error: unknown,
): DeliveryOutcome {
  const story = { what: 'FAILED' as const, ...attempt, errorClass: classOf(error), until: formatInstant(until) };
  return { id, status: 'PENDING', sendAt: until, story };
}

/** What is too late is a dead letter where a channel has failed to take it in time: nobody wanted it to be skipped. */
export function notSent(id: number, reason: SkipReason, wasTried: boolean): DeliveryOutcome {
  const isTooLate = reason === 'TOO_LATE' || reason === 'SESSION_STARTED';
  return isTooLate && wasTried ? dead(id, 'LATENESS_REACHED') : skipped(id, reason);
}

/** It cannot even be decided when and how it is sent. */
export function undecidable(
  { id, attempt, latest }: { id: number; attempt: number; latest: Temporal.Instant },
  now: Temporal.Instant,
  error: unknown,
): DeliveryOutcome {
  if (Temporal.Instant.compare(latest, now) < 0) return dead(id, 'LATENESS_REACHED');
  return failed(id, retryAt(attempt, now, latest), { attempt }, error);
}
