import type { DesignPlanModel } from '@care-scheduling/client';
import {
  MAX_REMINDERS_PER_WEEK,
  MAX_SIMULATED_WEEKS,
  normaliseWeekReminders,
  type SimulatorInput,
} from './simulator-input.js';

/** The times of a plan's homework reminders. */
export type PlanReminderTimes = {
  weeks: SimulatorInput['weeks'];
  /** Whether the plan has more weeks or reminders than the simulator shows. */
  isTruncated: boolean;
};

/**
 * Returns only the reminder times of a plan. The input of the simulator is part of the URL, which must not contain names,
 * titles or Books.
 */
export function extractReminderTimes({ weeks }: Pick<DesignPlanModel, 'weeks'>): PlanReminderTimes {
  const times = weeks.map(({ assignments }) =>
    assignments.flatMap(({ assignReminds }) => assignReminds.map(({ reminderDay: day, time }) => ({ day, time }))),
  );
  const isLong = (week: (typeof times)[number]) =>
    new Set(week.map(({ day, time }) => `${day} ${time}`)).size > MAX_REMINDERS_PER_WEEK;
  return {
    weeks: times.slice(0, MAX_SIMULATED_WEEKS).map(normaliseWeekReminders),
    isTruncated: weeks.length > MAX_SIMULATED_WEEKS || times.some(isLong),
  };
}
