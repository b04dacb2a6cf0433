import { CHANNEL_NAMES } from '../channel/channel-names.js';

/** The queue of messages that no channel can reach, and of messages that an earlier release has queued. */
const GENERAL_QUEUE_NAME = 'reminder';
/** Each channel has its own queue, so that a slow server delays only the messages of its own channel. */
const QUEUE_NAMES_BY_CHANNEL = new Map<string, string>(
  CHANNEL_NAMES.map((channel) => [channel, `${GENERAL_QUEUE_NAME}-${channel.toLowerCase()}`]),
);
/** The queues of messages that are to be delivered. */
export const REMINDER_QUEUE_NAMES: readonly string[] = [GENERAL_QUEUE_NAME, ...QUEUE_NAMES_BY_CHANNEL.values()];
export const DEAD_LETTER_QUEUE_NAME = 'reminder-dead';
export const ALL_QUEUE_NAMES: readonly string[] = [...REMINDER_QUEUE_NAMES, DEAD_LETTER_QUEUE_NAME];

/** @param channel the channel that is tried first; undefined if no channel can reach the recipient */
export function getQueueName(channel: string | undefined): string {
  return QUEUE_NAMES_BY_CHANNEL.get(channel ?? '') ?? GENERAL_QUEUE_NAME;
}
