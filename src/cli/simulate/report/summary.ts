import { formatCount } from './format.js';
import { listPlannedReminders, type Simulation } from '../simulation.js';
import type { ReminderEvent, SimulatedWeek } from './weekly-events.js';

export type Summary = {
  sessions: number;
  completed: number;
  homework: number;
  homeworkDone: number;
  reminders: number;
  sent: number;
  deferred: number;
  withdrawn: number;
  notSent: number;
  messages: number;
  /** What does not add up; the service has a fault if there is anything. */
  inconsistencies: string[];
};

export function summarize(simulation: Simulation, weeks: readonly SimulatedWeek[]): Summary {
  const { sessions, messages } = simulation;
  const reminders = weeks.flatMap(({ events }) => events.filter((entry) => entry.kind === 'REMINDER'));
  const countOf = (what: ReminderEvent['result']['kind']) =>
    reminders.filter(({ result }) => result.kind === what).length;
  const homework = sessions.flatMap((session) => session.homework);
  return {
    sessions: sessions.length,
    completed: sessions.filter(({ status }) => status === 'COMPLETED').length,
    homework: homework.length,
    homeworkDone: homework.filter(({ completedAt }) => completedAt !== null).length,
    reminders: reminders.length,
    sent: countOf('SENT') + countOf('DEFERRED'),
    deferred: countOf('DEFERRED'),
    withdrawn: countOf('WITHDRAWN'),
    notSent: countOf('NOT_SENT'),
    messages: messages.length,
    inconsistencies: findInconsistencies(simulation),
  };
}

/** Every reminder that is SENT has left in one message, no other has left, and each was due when it was planned to be. */
function findInconsistencies({ planned, reminders, messages }: Simulation): string[] {
  const delivered = messages.flatMap(({ reminderIds }) => reminderIds);
  const timesDelivered = Map.groupBy(delivered, (id) => id);
  const wrong = reminders.filter(
    ({ id, status }) => (timesDelivered.get(id)?.length ?? 0) !== (status === 'SENT' ? 1 : 0),
  );
  const plannedInstants = listPlannedReminders(planned).map(({ dueAt }) => dueAt);
  const instants = reminders.map(({ dueAt }) => dueAt);
  const areAsPlanned = plannedInstants.sort().join() === instants.sort().join();
  return [
    ...wrong.map(({ id, status }) => `Reminder ${id} is ${status}, and was delivered otherwise.`),
    ...(areAsPlanned ? [] : ['Reminders were due at other times than the dry run had said.']),
  ];
}

export function formatSummary(summary: Summary): string {
  const { sent, deferred, withdrawn, notSent } = summary;
  const outcomes = [
    `${sent} sent${deferred > 0 ? ` (${deferred} of them deferred)` : ''}`,
    `${withdrawn} withdrawn`,
    ...(notSent > 0 ? [`${notSent} not sent`] : []),
  ];
  return [
    `${formatCount(summary.sessions, 'Session')}, ${summary.completed} completed`,
    `${summary.homeworkDone} of ${formatCount(summary.homework, 'Book')} done`,
    `${formatCount(summary.reminders, 'reminder')}: ${outcomes.join(', ')}`,
    formatCount(summary.messages, 'message'),
  ].join(' · ');
}
