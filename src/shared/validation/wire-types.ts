import { z } from 'zod';
import { isClockTime, parseSlashDate } from '../time/wall-clock.js';
import { isTimeZone, normaliseTimeZone } from '../time/zone.js';

/*
 * Schemas that validate, normalise and document the values on the wire. Values are not coerced: for example, "5" is not
 * an integer (docs/decisions.md, "JSON types").
 */

const MAX = Number.MAX_SAFE_INTEGER;
const MAX_DETAIL = `must be at most ${MAX}`;

/**
 * An integer that a JavaScript number represents exactly. Other integers have the message of the bound that they
 * exceed. `abort` prevents a second message of a narrower bound.
 */
export const safeInteger = (tooSmall = `must be at least -${MAX}`, tooBig = MAX_DETAIL) =>
  z.int({
    error: ({ code }) => (code === 'too_big' ? tooBig : code === 'too_small' ? tooSmall : 'must be an integer'),
    abort: true,
  });

/** An integer that is not below the minimum. */
export const integerFrom = (minimum: number) => {
  const tooSmall = `must be ${minimum} or more`;
  return safeInteger(tooSmall).min(minimum, tooSmall);
};

/** The ID of a record: a positive safe integer (the specification's "Long"). */
export const longId = (description: string, example = 1) =>
  integerFrom(1).meta({ description, example, minimum: 1, maximum: MAX, format: 'int64' });

/** An optional ID. Absent, null and 0 become undefined. Zero is accepted because generated templates send it. */
export const optionalLongId = (description: string, example = 0) =>
  integerFrom(0)
    .nullish()
    .transform((id) => id || undefined)
    .meta({ description: `${description} Null or 0: not given.`, example, format: 'int64' });

/** An integer in an inclusive range. */
export const integerBetween = (minimum: number, maximum: number) => {
  const range = `must be from ${minimum} to ${maximum}`;
  return safeInteger(range, range).min(minimum, range).max(maximum, range);
};

/**
 * Text that PostgreSQL can store. The text is not trimmed.
 *
 * @param maxLength maximum length in code points, the unit that JSON Schema and PostgreSQL also use
 */
export const storableText = (maxLength: number) =>
  z
    .string({ error: 'must be a string' })
    .refine((value) => countCodePoints(value) <= maxLength, {
      error: `must be at most ${maxLength} characters long`,
      abort: true,
    })
    .refine((value) => !value.includes('\0'), 'must not contain the character NUL')
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode (it has a lone surrogate)')
    .meta({ maxLength });

/** Text that must not be blank. Surrounding whitespace is removed. */
export const requiredText = (maxLength: number) =>
  z
    .string({ error: 'must be a string' })
    .trim()
    .pipe(storableText(maxLength))
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1, maxLength, pattern: '\\S' });

/** Optional text. Null and blank text become undefined. */
export const optionalText = (maxLength: number) =>
  storableText(maxLength)
    .nullish()
    .transform((value) => (value == null || value.trim() === '' ? undefined : value));

/** An optional title. Null and blank text become undefined. Surrounding whitespace is removed. */
export const optionalTitle = (maxLength: number) =>
  z
    .string({ error: 'must be a string' })
    .trim()
    .pipe(storableText(maxLength))
    .meta({ maxLength })
    .nullish()
    .transform((value) => value || undefined);

/** An optional list. Absent and null become an empty list. */
export const optionalList = <T extends z.ZodType>(item: T, maxItems: number) =>
  z
    .array(item, { error: 'must be a list' })
    .max(maxItems, `must have at most ${maxItems} items`)
    .nullish()
    .transform((items) => items ?? []);

/** A clock time in the format HH:mm, from 00:00 to 23:59. */
export const hourMinute = z
  .string({ error: 'must be a time such as 09:30' })
  .refine(isClockTime, 'must be a time HH:mm from 00:00 to 23:59')
  .meta({ example: '09:30', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' });

/** An existing calendar date in the format yyyy/MM/dd. */
export const slashDate = z
  .string({ error: 'must be a date such as 2027/03/28' })
  .refine((value) => parseSlashDate(value) !== undefined, 'must be a real date yyyy/MM/dd')
  .meta({ example: '2027/03/28', pattern: '^\\d{4}/\\d{2}/\\d{2}$' });

/** The name of an IANA time zone. */
export const timeZone = z
  .string({ error: 'must be the name of an IANA time zone' })
  .max(64, { abort: true })
  .refine(isTimeZone, { error: 'must be the name of an IANA time zone such as Europe/London', abort: true })
  .overwrite(normaliseTimeZone)
  .meta({ description: 'IANA time zone.', example: 'Europe/London' });

function countCodePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

/** A path segment that contains the ID of a record. */
export const idParam = z
  .string()
  .regex(/^[1-9]\d*$/, 'must be a positive integer')
  .transform(Number)
  .refine((id) => id <= MAX, MAX_DETAIL)
  .meta({
    description: 'Id of the record.',
    // Documented as an integer, although a path segment is a string.
    type: 'integer',
    format: 'int64',
    pattern: undefined,
    minimum: 1,
    maximum: MAX,
    example: 1,
  });

/** Like `idParam`, with another example: for operations whose caller cannot use record 1 of the demonstration. */
export const idParamWithExample = (example: number) => idParam.meta({ ...idParam.meta(), example });
