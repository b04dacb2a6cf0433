import { z } from 'zod';

/** Maps each field to its second spelling in the specification. */
export type FieldAliases = Readonly<Record<string, string>>;

/**
 * Makes a schema accept the second spellings in the specification. If a body contains both spellings of a field, their
 * values must be equal (docs/decisions.md, "Both spellings"). Because generated templates fill in both spellings, null
 * counts as absent, and so does 0 if the other value is an ID.
 */
export function acceptAliases<T extends z.ZodType>(aliases: FieldAliases, schema: T) {
  const spellings = Object.entries(aliases);
  return z.preprocess((body, context) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    // Fast path: most bodies contain no second spellings, and bodies may be large.
    if (!spellings.some(([, alias]) => alias in body)) return body;
    const fields = new Map<string, unknown>(Object.entries(body));
    for (const [field, alias] of spellings) {
      const [value, other] = [fields.get(field), fields.get(alias)];
      if (other === undefined) continue;
      if (isSecondUsed(value, other)) fields.set(field, other);
      else if (value !== other && !isEmptyValue(other, value)) {
        const message = `${field} and ${alias} are two spellings of one field and must not differ`;
        for (const path of [field, alias]) context.issues.push({ code: 'custom', path: [path], message, input: body });
      }
    }
    return Object.fromEntries(fields);
  }, schema);
}

/** Whether the value of the second spelling, which the body contains, is the value of the field. */
export function isSecondUsed(value: unknown, other: unknown): boolean {
  return value === undefined || (isEmptyValue(value, other) && !isEmptyValue(other, value));
}

/** Whether a value counts as absent, given the value of the other spelling. */
function isEmptyValue(value: unknown, other: unknown): boolean {
  return value == null || (value === 0 && (other == null || typeof other === 'number'));
}
