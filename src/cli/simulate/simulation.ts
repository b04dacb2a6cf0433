import type { ReminderWithHistoryModel } from '../../reminder/index.js';
import type { SeriesChange, SessionModel } from '../../session/index.js';
import type { SimulationOptions } from './options.js';

/** One message that has left through the channel. */
export type SentMessage = { messageId: string; at: string; recipient: string; subject: string; reminderIds: number[] };

/** All that has happened, as the service tells it. */
export type Simulation = {
  planName: string;
  client: { id: number; name: string; timeZone: string };
  careProvider: { id: number };
  options: Pick<SimulationOptions, 'quietHours' | 'remind' | 'homeworkDone'>;
  bookTitles: Readonly<Record<number, string>>;
  /** What the service said before that it would do: the dry run. */
  planned: SeriesChange;
  sessions: SessionModel[];
  reminders: ReminderWithHistoryModel[];
  messages: SentMessage[];
};

/** Where a running simulation stands. */
export type Progress = {
  now: Temporal.ZonedDateTime;
  session: number;
  sessions: number;
  finished: number;
  reminders: number;
};

/** All reminders that a plan makes, of Sessions and of homework. */
export function listPlannedReminders({ sessions }: SeriesChange) {
  return sessions.flatMap((session) => [
    ...session.reminders,
    ...session.homework.flatMap((homework) => homework.reminders),
  ]);
}
