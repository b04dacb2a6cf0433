import type { Tracing } from '../../shared/tracing/index.js';
import type { ReminderJob } from '../queue/reminder.queue.js';
import type { PreparedMessage } from './message-preparation.js';

/* Trace spans for deliveries. They contain the IDs of the Clinic and the message, but no data about the recipient. */

/**
 * Runs a delivery in a new trace that is linked to the traces of planning. The delivery does not continue those traces,
 * because it can take place long after the request that planned the reminder.
 */
export function traceDelivery<T>(
  tracing: Tracing,
  { traceparents: links = [] }: ReminderJob,
  prepared: PreparedMessage | undefined,
  deliver: () => Promise<T>,
): Promise<T> {
  if (prepared === undefined || !tracing.isOn) return deliver();
  const attributes = {
    'messaging.operation.name': 'process',
    'messaging.message.id': prepared.message.messageId,
    'scheduling.clinic_id': prepared.message.clinicId,
    'scheduling.reminders': prepared.reminders.length,
  } as const;
  return tracing.run({ name: 'deliver reminders', kind: 'CONSUMER', links, attributes }, deliver);
}

export function traceChannel<T>(
  tracing: Tracing,
  channel: string,
  { message }: PreparedMessage,
  send: () => Promise<T>,
): Promise<T> {
  if (!tracing.isOn) return send();
  const attributes = {
    'messaging.destination.name': channel,
    'messaging.operation.name': 'send',
    'messaging.message.id': message.messageId,
    'scheduling.clinic_id': message.clinicId,
  } as const;
  return tracing.run({ name: `send ${channel}`, kind: 'CLIENT', attributes }, send);
}
