import type { CreateDesignPlan, DesignPlanModel, DesignPlanRevision } from '@care-scheduling/client';
import { assignWeekOrderings, toDefaultWeekName } from './orderings.js';

/* A plan while it is being edited. Weeks and Books have keys, so that they keep their DOM elements when they move. */

export type DraftReminder = { day: number; time: string };
export type DraftBook = { key: string; bookId: number; reminders: readonly DraftReminder[] };
export type DraftWeek = {
  key: string;
  /** If empty, the service derives the name from the number. */
  name: string;
  /** The number in the saved plan; null if the week is new or must be renumbered. */
  ordering: number | null;
  books: readonly DraftBook[];
};
export type DraftTextFields = { planName: string; appointmentTitle: string; appointmentDesc: string };
export type PlanDraft = DraftTextFields & {
  caregiverId: number | null;
  template: boolean;
  weeks: readonly DraftWeek[];
};

type Content = Pick<DesignPlanModel, 'planName' | 'appointmentTitle' | 'appointmentDesc' | 'caregiverId' | 'weeks'>;

let lastKey = 0;

export function createDraftKey(): string {
  lastKey += 1;
  return `k${lastKey}`;
}

export const EMPTY_DRAFT: PlanDraft = {
  planName: '',
  appointmentTitle: '',
  appointmentDesc: '',
  caregiverId: null,
  template: false,
  weeks: [{ key: 'first', name: '', ordering: null, books: [] }],
};

export function toPlanDraft(plan: Content & { template: boolean }): PlanDraft {
  return {
    planName: plan.planName,
    appointmentTitle: plan.appointmentTitle ?? '',
    appointmentDesc: plan.appointmentDesc ?? '',
    caregiverId: plan.caregiverId,
    template: plan.template,
    weeks: plan.weeks.map(({ name, ordering, assignments }) => ({
      key: createDraftKey(),
      name: name === toDefaultWeekName(ordering) ? '' : name,
      ordering,
      books: assignments.map(({ bookId, assignReminds }) => ({
        key: createDraftKey(),
        bookId,
        reminders: assignReminds.map(({ reminderDay, time }) => ({ day: reminderDay, time })),
      })),
    })),
  };
}

/**
 * Gives the saved weeks and Books the keys of those that were sent, in the same order. Otherwise, new DOM elements would
 * replace theirs, which loses the focus and closes the dialog of a Book.
 */
export function adoptDraftKeys(saved: PlanDraft, sent: PlanDraft): PlanDraft {
  const weeks = saved.weeks.map((week, index) => {
    const { key = week.key, books: own = [] } = sent.weeks[index] ?? {};
    const books = week.books.map((book, place) =>
      own[place]?.bookId === book.bookId ? { ...book, key: own[place].key } : book,
    );
    return { ...week, key, books };
  });
  return { ...saved, weeks };
}

/**
 * Gives the weeks of a draft the numbers with which they have been saved. Otherwise, the next save could renumber them,
 * although a series identifies its weeks by number.
 */
export function adoptWeekOrderings(draft: PlanDraft, saved: PlanDraft, sent: PlanDraft): PlanDraft {
  const places = new Map(sent.weeks.map(({ key }, index) => [key, index]));
  const placed = draft.weeks.map((week) => ({ week, place: places.get(week.key) }));
  // The user has renumbered the weeks since, which then have no numbers.
  if (placed.some(({ week, place }) => place !== undefined && week.ordering !== sent.weeks[place]!.ordering))
    return draft;
  const toOrdering = (place: number | undefined) => (place === undefined ? undefined : saved.weeks[place]?.ordering);
  const weeks = placed.map(({ week, place }) => ({ ...week, ordering: toOrdering(place) ?? null }));
  return { ...draft, weeks };
}

/** Creates the request body. Weeks and Books are in the same order as in the draft, so JSON pointers apply to both. */
export function toPlanRequest(draft: PlanDraft): CreateDesignPlan & Required<Pick<CreateDesignPlan, 'weeks'>> {
  const orderings = assignWeekOrderings(draft.weeks);
  return {
    planName: draft.planName.trim(),
    appointmentTitle: draft.appointmentTitle.trim() === '' ? null : draft.appointmentTitle,
    appointmentDesc: draft.appointmentDesc.trim() === '' ? null : draft.appointmentDesc,
    caregiverId: draft.caregiverId,
    template: draft.template,
    weeks: draft.weeks.map(({ name, books }, index) => ({
      name: name.trim() === '' ? null : name,
      ordering: orderings[index]!,
      assignments: books.map(({ bookId, reminders }) => ({
        bookId,
        assignReminds: reminders.map(({ day, time }) => ({ reminderDay: day, time })),
      })),
    })),
  };
}

/** Creates the request body that restores an earlier revision. `template` and the creation date do not change. */
export function toRestoreRevisionRequest(revision: DesignPlanRevision, template: boolean): CreateDesignPlan {
  const { planName, appointmentTitle, appointmentDesc, caregiverId, weeks } = revision;
  return { planName, appointmentTitle, appointmentDesc, caregiverId, weeks, template };
}

/** Whether two drafts would be saved as the same plan. */
export function isSameWhenSaved(a: PlanDraft, b: PlanDraft): boolean {
  return a === b || JSON.stringify(toPlanRequest(a)) === JSON.stringify(toPlanRequest(b));
}
