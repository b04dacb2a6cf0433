import { z } from 'zod';
import { isStorableInstant } from '../persistence/index.js';

/* Filters for lists. Query values are strings, but the OpenAPI document shows the types that they represent. */

/** An optional ID in a query. */
export const idQuery = (description: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a positive integer')
    .transform(Number)
    .optional()
    .meta({ description, type: 'integer', format: 'int64', pattern: undefined, minimum: 1, example: 1 });

/** An optional instant in a query, in ISO 8601 format with Z or an offset. */
export const instantQuery = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 date-time with Z or an offset' })
    .transform((value) => Temporal.Instant.from(value))
    .refine(isStorableInstant, 'must be in the years 1 to 9999')
    .optional()
    .meta({ description, example: '2027-03-01T00:00:00Z' });
