/** On which day of the plan week (1 is the first), at which local time (HH:mm). */
export type AssignRemind = { reminderDay: number; time: string };
/** One homework Book with its reminders. */
export type Assignment = { bookId: number; assignReminds: AssignRemind[] };
/** One week of homework at its place in the plan. */
export type Week = { name: string; ordering: number; assignments: Assignment[] };

/** What a plan says, and what a revision keeps of it. */
export type PlanContent = {
  planName: string;
  caregiverId: number | null;
  appointmentTitle: string | null;
  appointmentDesc: string | null;
  weeks: Week[];
};

/** The title of Sessions created by a plan that is applied: the plan's own name where it gives none. */
export function getAppointmentTitle(plan: Pick<PlanContent, 'appointmentTitle' | 'planName'>): string {
  return plan.appointmentTitle ?? plan.planName;
}
