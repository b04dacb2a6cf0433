import { z } from 'zod';
import { formatNameSuggestion } from './nearest-name.js';

/** Maximum number of names in the parameter, which limits the work for a malicious request. */
const MAX_VALUES = 50;

/**
 * Creates the schema of the query parameter `include`. Its value is a list of related data that each item of the
 * response then contains, separated by commas or given by repeating the parameter.
 *
 * @param names the allowed names. The schema of the response describes what each adds.
 */
export const includeQuery = <const Name extends string>(names: readonly Name[]) =>
  z
    .union([z.string(), z.array(z.string())], { error: 'must be text' })
    .transform((input, context): ReadonlySet<Name> => {
      const values = [input].flat().flatMap((part) => part.split(',', MAX_VALUES + 1).map((name) => name.trim()));
      const unknown = values.find((value) => !names.includes(value as Name));
      if (unknown === undefined && values.length <= MAX_VALUES) return new Set(values as Name[]);
      const hint = unknown === undefined ? '' : formatNameSuggestion(unknown, names);
      context.issues.push({ code: 'custom', message: `must be one or more of ${names.join(', ')}${hint}`, input });
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        'Members to add to each item, as the response describes them. Members that it always has may be named, too.',
      // The OpenAPI document shows a list, although the value of a query parameter is text.
      ...{ type: 'array', items: { type: 'string', enum: names }, anyOf: undefined, example: names.slice(0, 2) },
    });
