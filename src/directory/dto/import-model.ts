import { z } from 'zod';
import { violationSchema, type Violation } from '../../shared/errors/index.js';
import { longId } from '../../shared/validation/index.js';
import { externalIdSchema, putBookSchema, putClinicSchema, putPersonSchema } from './record-model.js';

/* Schemas for import lines and their results. */

const MAX_CARE_PROVIDERS = 50;

export const importClinicSchema = z
  .object({ externalId: externalIdSchema, ...putClinicSchema.shape })
  .meta({ id: 'ImportClinic', description: 'A Clinic, whole: one line of an import.' });

export const importCareProviderSchema = z
  .object({ externalId: externalIdSchema, ...putPersonSchema.shape })
  .meta({ id: 'ImportCareProvider', description: 'A Care Provider, whole: one line of an import.' });

export const importClientSchema = z
  .object({
    externalId: externalIdSchema,
    ...putPersonSchema.shape,
    careProviderExternalIds: z
      .array(externalIdSchema, { error: 'must be a list' })
      .max(MAX_CARE_PROVIDERS, `must have at most ${MAX_CARE_PROVIDERS} items`)
      .nullish()
      .meta({
        description:
          'The Care Providers the Client is assigned to from now on, by their external ids. Absent or null: as before.',
        example: ['ehr-4711'],
      }),
  })
  .meta({ id: 'ImportClient', description: 'A Client, whole: one line of an import.' });

export const importBookSchema = z
  .object({ externalId: externalIdSchema, ...putBookSchema.shape })
  .meta({ id: 'ImportBook', description: 'A homework Book, whole: one line of an import.' });

export type ImportClient = z.output<typeof importClientSchema>;

export const importResultSchema = z
  .object({
    line: z
      .int()
      .min(1)
      .meta({ description: 'The line of the request, counted from 1; empty ones count, too.', example: 1 }),
    status: z.enum(['created', 'replaced', 'unchanged', 'refused']).meta({
      description: 'What became of it. unchanged: the record was like that already. refused: nothing of it is stored.',
      example: 'created',
    }),
    externalId: z.string().optional().meta({ description: 'Unless refused: as it is stored.', example: 'ehr-4711' }),
    id: longId('Unless refused: the id of the record.').optional(),
    errors: z.array(violationSchema).optional().meta({ description: 'When refused: what is wrong with the line.' }),
  })
  .meta({
    id: 'ImportResult',
    description: 'What became of one line of an import.',
    example: { line: 1, status: 'created', externalId: 'ehr-4711', id: 1 },
  });

/** The result of one import line, as described by `importResultSchema`. */
export type ImportResult =
  | { line: number; status: 'created' | 'replaced' | 'unchanged'; externalId: string; id: number }
  | { line: number; status: 'refused'; errors: readonly Violation[] };
