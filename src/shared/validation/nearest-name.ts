/** Maximum length of the names that are compared, which limits the computing time. */
const MAX_LENGTH = 40;

/**
 * Finds the known name most similar to a wrong one, ignoring case. Up to a third of its characters may differ, but
 * always at least one.
 */
export function findNearestName(wrong: string, known: readonly string[]): string | undefined {
  if (wrong.length > MAX_LENGTH) return undefined;
  const maxDistance = Math.max(1, Math.floor(wrong.length / 3));
  const [nearest] = known
    .map((name) => ({ name, distance: editDistance(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((left, right) => left.distance - right.distance);
  return nearest?.name;
}

/**
 * Returns a suggestion of the nearest known name to append to an error message, or an empty text if no name is similar.
 */
export function formatNameSuggestion(wrong: string, known: readonly string[]): string {
  const nearest = findNearestName(wrong, known);
  return nearest === undefined ? '' : `: did you mean ${nearest}?`;
}

/**
 * Computes the optimal string alignment distance: the number of insertions, deletions, replacements and swaps of
 * adjacent characters.
 */
function editDistance(left: string, right: string): number {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const replaced = last![column - 1]! + (isSame ? 0 : 1);
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwap ? beforeLast![column - 2]! + 1 : Infinity;
      current.push(Math.min(last![column]! + 1, current[column - 1]! + 1, replaced, swapped));
    }
    [beforeLast, last] = [last, current];
  }
  return last!.at(-1)!;
}
