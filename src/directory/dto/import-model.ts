import { z } from 'zod';
import { violationSchema, type Violation } from '../../shared/errors/index.js';
import { longId } from '../../shared/validation/index.js';
import { externalIdSchema, putBookSchema, putClinicSchema, putPersonSchema } from './record-model.js';

/* Schemas for import lines and their results. */

const MAX_CARE_PROVIDERS = 50;

export const clinicImportSchema = z
  .object({ externalId: externalIdSchema, ...putClinicSchema.shape })
  .meta({ id: 'ImportClinic', description: 'All fields of a Clinic: one line of an import.' });

export const careProviderImportSchema = z
  .object({ externalId: externalIdSchema, ...putPersonSchema.shape })
  .meta({ id: 'ImportCareProvider', description: 'All fields of a Care Provider: one line of an import.' });

export const clientImportSchema = z
  .object({
    externalId: externalIdSchema,
    ...putPersonSchema.shape,
    careProviderExternalIds: z
      .array(externalIdSchema, { error: 'must be a list' })
      .max(MAX_CARE_PROVIDERS, `must have at most ${MAX_CARE_PROVIDERS} items`)
      .nullish()
      .meta({
        description:
          'External ids of the Care Providers that the Client is then assigned to. Absent or null for no change.',
        example: ['ehr-4711'],
      }),
  })
  .meta({ id: 'ImportClient', description: 'All fields of a Client: one line of an import.' });

export const bookImportSchema = z
  .object({ externalId: externalIdSchema, ...putBookSchema.shape })
  .meta({ id: 'ImportBook', description: 'All fields of a homework Book: one line of an import.' });

export type ImportClient = z.output<typeof clientImportSchema>;

export const importLineResultSchema = z
  .object({
    line: z
      .int()
      .min(1)
      .meta({ description: 'Line number in the request, from 1. Empty lines are counted.', example: 1 }),
    status: z.enum(['created', 'replaced', 'unchanged', 'refused']).meta({
      description: 'The result. unchanged: the record already had these values. refused: nothing is stored.',
      example: 'created',
    }),
    externalId: z
      .string()
      .optional()
      .meta({ description: 'The external id as stored; absent if refused.', example: 'ehr-4711' }),
    id: longId('The id of the record; absent if refused.').optional(),
    errors: z.array(violationSchema).optional().meta({ description: 'If refused: the errors in the line.' }),
  })
  .meta({
    id: 'ImportResult',
    description: 'The result of one line of an import.',
    example: { line: 1, status: 'created', externalId: 'ehr-4711', id: 1 },
  });

/** The result of one import line, as described by `importLineResultSchema`. */
export type ImportLineResult =
  | { line: number; status: 'created' | 'replaced' | 'unchanged'; externalId: string; id: number }
  | { line: number; status: 'refused'; errors: readonly Violation[] };
