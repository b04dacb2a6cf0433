/* Numbers weeks. A series identifies the weeks of its plan by number, so weeks keep their numbers where possible. */

type Numbered = { ordering: number | null };

/** Returns the name that the service gives to a week without a name. */
export function toDefaultWeekName(ordering: number): string {
  return `Week ${ordering}`;
}

/**
 * Assigns ascending numbers to weeks. Saved weeks keep their numbers, and a new week gets a free number between its
 * neighbours. If that is not possible, for example after a move, all weeks are numbered from 1.
 */
export function assignWeekOrderings(weeks: readonly Numbered[]): readonly number[] {
  return keepOrderings(weeks) ?? weeks.map((_, index) => index + 1);
}

function keepOrderings(weeks: readonly Numbered[]): readonly number[] | undefined {
  const assigned: number[] = [];
  for (const [index, { ordering }] of weeks.entries()) {
    const before = assigned.at(-1) ?? 0;
    // A first week can have the number 0, but this function never assigns 0 to a new week.
    if (ordering === null) assigned.push(before + 1);
    else if (index === 0 || ordering > before) assigned.push(ordering);
    else return undefined;
  }
  return assigned;
}

/** Whether numbers are missing, for example after a week has been removed. */
export function hasGapsInOrderings(orderings: readonly number[]): boolean {
  return orderings.some((ordering, index) => ordering !== index + 1);
}
