import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { longId, requestMeta } from '../../shared/validation/index.js';
import { LEGAL_HOLD_REASONS } from '../domain/erasure-codes.js';
import type { LegalHold } from '../domain/legal-hold.entity.js';
import { caseReferenceSchema, instantField, storedCaseReferenceSchema } from './codes.js';

const reason = z.enum(LEGAL_HOLD_REASONS, { error: `must be one of ${LEGAL_HOLD_REASONS.join(', ')}` });

export const putLegalHoldSchema = z
  .object({
    reason: reason.meta({ description: 'Why the data must be kept.', example: 'LITIGATION' }),
    caseReference: caseReferenceSchema,
  })
  .meta({
    id: 'PutLegalHold',
    description: 'Why the data of a Client must be kept.',
    ...requestMeta(
      {},
      { court: { summary: 'A case at court', value: { reason: 'LITIGATION', caseReference: '7-C-118/26' } } },
    ),
  });
export type PutLegalHold = z.output<typeof putLegalHoldSchema>;

export const legalHoldSchema = z
  .object({
    clientId: longId('The Client.'),
    isHeld: z.boolean().meta({ description: 'Whether the data must be kept.', example: true }),
    reason: reason.nullable().meta({ description: 'Why; null without a hold.', example: 'LITIGATION' }),
    caseReference: storedCaseReferenceSchema,
    setAt: instantField('When it was set; null without a hold').nullable(),
  })
  .meta({ id: 'LegalHold', description: 'Whether a legal hold prevents the erasure of a Client.' });
export type LegalHoldModel = z.output<typeof legalHoldSchema>;

export function toLegalHoldModel(clientId: number, hold: LegalHold | null): LegalHoldModel {
  if (hold === null) return { clientId, isHeld: false, reason: null, caseReference: null, setAt: null };
  const { reason: why, caseReference, setAt } = hold;
  return { clientId, isHeld: true, reason: why, caseReference, setAt: formatInstant(setAt) };
}
