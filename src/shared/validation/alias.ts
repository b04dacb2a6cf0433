import { z } from 'zod';

/** For each field, the other spelling under which the specification describes it. */
export type Aliases = Readonly<Record<string, string>>;

/**
 * Folds the second spellings of the specification into the first. Either works; both
 * with equal values is fine; both with different values is refused, naming the two fields
 * (docs/decisions.md, "Both spellings"). A spelling that is null, or 0 beside an id, is not given:
 * generated templates fill in both.
 */
export function mergeAliases<T extends z.ZodType>(aliases: Aliases, schema: T) {
  const spellings = Object.entries(aliases);
  return z.preprocess((body, context) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    // Most callers keep to the first spellings, and a body may be large.
    if (!spellings.some(([, alias]) => alias in body)) return body;
    const given = new Map<string, unknown>(Object.entries(body));
    for (const [field, alias] of spellings) {
      const [value, other] = [given.get(field), given.get(alias)];
      if (other === undefined) continue;
      if (value === undefined || (isEmptyValue(value, other) && !isEmptyValue(other, value))) given.set(field, other);
      else if (value !== other && !isEmptyValue(other, value)) {
        const message = `${field} and ${alias} are two spellings of one field and must not differ`;
        for (const path of [field, alias]) context.issues.push({ code: 'custom', path: [path], message, input: body });
      }
    }
    return Object.fromEntries(given);
  }, schema);
}

/** Says nothing beside the other spelling. */
function isEmptyValue(value: unknown, beside: unknown): boolean {
  return value == null || (value === 0 && (beside == null || typeof beside === 'number'));
}
