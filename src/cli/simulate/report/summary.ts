import { formatCount } from './format.js';
import { listPlannedReminders, type SimulationResult } from '../simulation.js';
import type { ReminderEvent, SimulatedWeek } from './weekly-events.js';

export type SimulationSummary = {
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
  /** Contradictions between the reminders, the messages and the dry run. Each indicates a defect in the service. */
  inconsistencies: string[];
};

export function summarizeSimulation(simulation: SimulationResult, weeks: readonly SimulatedWeek[]): SimulationSummary {
  const { sessions, messages } = simulation;
  const reminders = weeks.flatMap(({ events }) => events.filter((event) => event.kind === 'REMINDER'));
  const countOf = (kind: ReminderEvent['result']['kind']) =>
    reminders.filter(({ result }) => result.kind === kind).length;
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

/** Checks that exactly the SENT reminders were delivered, once each, and that the dry run predicted all due times. */
function findInconsistencies({ planned, reminders, messages }: SimulationResult): string[] {
  const delivered = messages.flatMap(({ reminderIds }) => reminderIds);
  const timesDelivered = Map.groupBy(delivered, (id) => id);
  const contradicting = reminders.filter(
    ({ id, status }) => (timesDelivered.get(id)?.length ?? 0) !== (status === 'SENT' ? 1 : 0),
  );
  const plannedInstants = listPlannedReminders(planned).map(({ dueAt }) => dueAt);
  const instants = reminders.map(({ dueAt }) => dueAt);
  const areAsPlanned = plannedInstants.sort().join() === instants.sort().join();
  return [
    ...contradicting.map(({ id, status }) => `Reminder ${id} is ${status}, which contradicts its deliveries.`),
    ...(areAsPlanned ? [] : ['Reminders were due at other times than in the dry run.']),
  ];
}

export function formatSummary(summary: SimulationSummary): string {
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
