import type { DesignPlanModel } from '@care-scheduling/client';
import { MAX_SIMULATED_REMINDERS, MAX_SIMULATED_WEEKS, sortReminders, type SimulatorInput } from './simulated-plan.js';

/** The times of a plan's homework reminders. */
export type ClinicPlanTimes = {
  weeks: SimulatorInput['weeks'];
  /** Whether the plan has more weeks or reminders than the simulator shows. */
  isTruncated: boolean;
};

/**
 * Returns only the reminder times of a plan. The input of the simulator is part of the URL, which must not contain names,
 * titles or Books.
 */
export function toClinicPlanTimes({ weeks }: Pick<DesignPlanModel, 'weeks'>): ClinicPlanTimes {
  const times = weeks.map(({ assignments }) =>
    assignments.flatMap(({ assignReminds }) => assignReminds.map(({ reminderDay: day, time }) => ({ day, time }))),
  );
  const isLong = (week: (typeof times)[number]) =>
    new Set(week.map(({ day, time }) => `${day} ${time}`)).size > MAX_SIMULATED_REMINDERS;
  return {
    weeks: times.slice(0, MAX_SIMULATED_WEEKS).map(sortReminders),
    isTruncated: weeks.length > MAX_SIMULATED_WEEKS || times.some(isLong),
  };
}
