import { z } from 'zod';

/**
 * The number or code of a case. Free text is refused, because it could contain personal data, which an erasure would
 * not remove.
 */
export const caseReferenceSchema = z
  .string({ error: 'must be a string' })
  .regex(
    /^(?=.*\d)[A-Za-z\d][A-Za-z\d._/-]{0,39}$/,
    'must be a number of a case: at most 40 letters, digits, ".", "_", "/" and "-", with a digit',
  )
  .nullish()
  .transform((text) => text ?? null)
  .meta({
    description: 'The number of your case, without personal data, or null.',
    example: 'DSR-2026/0042',
    maxLength: 40,
  });

export const storedCaseReferenceSchema = z
  .string()
  .nullable()
  .meta({ description: 'The number of your case, or null.', example: 'DSR-2026/0042' });

export const instantField = (description: string, example = '2026-11-24T09:30:00.000Z') =>
  z.string().meta({ description: `${description}.`, example });
