import { randomUUID } from 'node:crypto';
import type { DeliveryOutcome } from './delivery-outcome.js';

/**
 * Gives each reminder that waits while its message is sent without it a new message. Receivers would drop a later
 * message with the same ID as a duplicate.
 *
 * @param messageIds the present message of each reminder, by reminder ID
 * @param sentMessageIds the messages that are sent
 */
export function separateFromSentMessages(
  outcomes: readonly DeliveryOutcome[],
  messageIds: ReadonlyMap<number, string>,
  sentMessageIds: ReadonlySet<string>,
): DeliveryOutcome[] {
  return outcomes.map((outcome) => {
    const messageId = messageIds.get(outcome.id);
    const isLeftOut = outcome.status === 'PENDING' && messageId !== undefined && sentMessageIds.has(messageId);
    return isLeftOut ? { ...outcome, messageId: randomUUID() } : outcome;
  });
}
