import type { ReminderWithHistoryModel } from '../../reminder/index.js';
import type { SeriesChange, SessionModel } from '../../session/index.js';
import type { SimulationOptions } from './options.js';

/** A message that the log channel delivered during the simulation. */
export type DeliveredMessage = {
  messageId: string;
  at: string;
  recipient: string;
  subject: string;
  reminderIds: number[];
};

/** The result of a simulation, as read from the service. */
export type SimulationResult = {
  planName: string;
  client: { id: number; name: string; timeZone: string };
  careProvider: { id: number };
  options: Pick<SimulationOptions, 'quietHours' | 'remind' | 'homeworkDone'>;
  bookTitles: Readonly<Record<number, string>>;
  /** The response to the dry run, which precedes the request that applies the plan. */
  planned: SeriesChange;
  sessions: SessionModel[];
  reminders: ReminderWithHistoryModel[];
  messages: DeliveredMessage[];
};

/**
 * `session` is the number of Sessions that have started. `finished` is the number of reminders that are neither pending
 * nor queued.
 */
export type SimulationProgress = {
  now: Temporal.ZonedDateTime;
  session: number;
  sessions: number;
  finished: number;
  reminders: number;
};

/** Lists all reminders in a dry run, both for Sessions and for homework. */
export function listPlannedReminders({ sessions }: SeriesChange) {
  return sessions.flatMap((session) => [
    ...session.reminders,
    ...session.homework.flatMap((homework) => homework.reminders),
  ]);
}
