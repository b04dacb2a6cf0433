import { assignWeekOrderings, toDefaultWeekName } from './orderings.js';
import type { PlanDraft, DraftWeek } from './draft.js';

/* Compares two drafts, so that the user can see the differences and choose one of them. */

export type DraftDifference =
  | { kind: 'planName' | 'appointmentTitle' | 'appointmentDesc'; theirs: string; yours: string }
  | { kind: 'caregiverId'; theirs: number | null; yours: number | null }
  | { kind: 'template'; theirs: boolean; yours: boolean }
  | { kind: 'week'; ordering: number; theirs: NamedWeek | undefined; yours: NamedWeek | undefined };

export type NamedWeek = { name: string; books: DraftWeek['books'] };

const TEXTS = ['planName', 'appointmentTitle', 'appointmentDesc'] as const;

export function compareDrafts(theirs: PlanDraft, yours: PlanDraft): readonly DraftDifference[] {
  const differences: DraftDifference[] = TEXTS.filter((kind) => theirs[kind].trim() !== yours[kind].trim()).map(
    (kind) => ({ kind, theirs: theirs[kind], yours: yours[kind] }),
  );
  if (theirs.caregiverId !== yours.caregiverId)
    differences.push({ kind: 'caregiverId', theirs: theirs.caregiverId, yours: yours.caregiverId });
  if (theirs.template !== yours.template)
    differences.push({ kind: 'template', theirs: theirs.template, yours: yours.template });
  return [...differences, ...compareWeeks(toNamedWeeksByOrdering(theirs.weeks), toNamedWeeksByOrdering(yours.weeks))];
}

function compareWeeks(
  theirs: ReadonlyMap<number, NamedWeek>,
  yours: ReadonlyMap<number, NamedWeek>,
): readonly DraftDifference[] {
  return [...new Set([...theirs.keys(), ...yours.keys()])]
    .toSorted((a, b) => a - b)
    .map((ordering) => ({
      kind: 'week' as const,
      ordering,
      theirs: theirs.get(ordering),
      yours: yours.get(ordering),
    }))
    .filter((pair) => toText(pair.theirs) !== toText(pair.yours));
}

/** Returns the weeks by number, each with the name under which it is saved. */
export function toNamedWeeksByOrdering(weeks: readonly DraftWeek[]): ReadonlyMap<number, NamedWeek> {
  const orderings = assignWeekOrderings(weeks);
  return new Map(
    weeks.map(({ name, books }, index) => {
      const ordering = orderings[index]!;
      return [ordering, { name: name.trim() === '' ? toDefaultWeekName(ordering) : name, books }];
    }),
  );
}

function toText(week: NamedWeek | undefined): string | undefined {
  if (week === undefined) return undefined;
  return JSON.stringify([week.name, week.books.map(({ bookId, reminders }) => [bookId, reminders])]);
}
