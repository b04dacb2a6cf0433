import type { ScheduleConflict, ScheduleWarning } from '@care-scheduling/client';

export type ScheduleWarningKind = ScheduleWarning['kind'];

/** Warnings of one kind, with the affected Sessions or plan weeks. */
export type ScheduleWarningGroup = {
  kind: ScheduleWarningKind;
  /** The service's English text for the warning. It is shown if the console has no translation for this kind. */
  detail: string;
  positions: readonly number[];
  planWeeks: readonly number[];
  bookIds: readonly number[];
};

/** Groups warnings by kind, because many Sessions of a series can have the same warning. */
export function groupScheduleWarnings(warnings: readonly ScheduleWarning[]): readonly ScheduleWarningGroup[] {
  return [...Map.groupBy(warnings, ({ kind }) => kind)].map(([kind, group]) => ({
    kind,
    detail: group[0]!.detail,
    positions: collect(group, ({ position }) => position),
    planWeeks: collect(group, ({ planWeek }) => planWeek),
    bookIds: collect(group, ({ bookId }) => bookId),
  }));
}

/** Returns the kinds of warnings about one Session. */
export function listWarningKindsOfSession(
  warnings: readonly ScheduleWarning[],
  position: number,
): readonly ScheduleWarningKind[] {
  return [...new Set(warnings.filter((one) => one.position === position).map(({ kind }) => kind))];
}

export function listConflictsOfSession(
  conflicts: readonly ScheduleConflict[],
  position: number,
): readonly ScheduleConflict[] {
  return conflicts.filter((one) => one.position === position);
}

function collect(
  warnings: readonly ScheduleWarning[],
  read: (warning: ScheduleWarning) => number | undefined,
): readonly number[] {
  const found = warnings.map(read).filter((value) => value !== undefined);
  return [...new Set(found)].sort((a, b) => a - b);
}
