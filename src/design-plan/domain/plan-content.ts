/** A reminder: day of the plan week (1 to 7) and local time (HH:mm). */
type AssignmentReminder = { reminderDay: number; time: string };
/** A Book assigned as homework for a week, with its reminders. */
type BookAssignment = { bookId: number; assignReminds: AssignmentReminder[] };
/** One week of homework. `ordering` is its position in the plan. */
export type PlanWeek = { name: string; ordering: number; assignments: BookAssignment[] };

/** The weeks of a plan that cannot be decrypted: a single one, whose name says so. */
export function toUnreadableWeeks(name: string): PlanWeek[] {
  return [{ name, ordering: 1, assignments: [] }];
}

/** The content of a plan. Each revision stores a copy. */
export type PlanContent = {
  planName: string;
  caregiverId: number | null;
  appointmentTitle: string | null;
  appointmentDesc: string | null;
  weeks: PlanWeek[];
};

export function collectBookIds(weeks: readonly PlanWeek[]): number[] {
  return weeks.flatMap((week) => week.assignments.map((assignment) => assignment.bookId));
}

/** Returns the title for Sessions created from the plan, without surrounding whitespace. Defaults to the plan name. */
export function getAppointmentTitle(plan: Pick<PlanContent, 'appointmentTitle' | 'planName'>): string {
  return plan.appointmentTitle?.trim() ?? plan.planName;
}
