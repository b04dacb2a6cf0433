import { z } from 'zod';
import { COUNTED_RECORD_KINDS, SUBJECT_KINDS } from '../../shared/erasure/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { longId, pageSchema, requestMeta } from '../../shared/validation/index.js';
import { ERASURE_REASONS, ERASURE_STATUSES } from '../domain/erasure-codes.js';
import type { Erasure } from '../domain/erasure.entity.js';
import { caseReferenceSchema, instantField, storedCaseReferenceSchema } from './codes.js';

/** Maximum number of rows of each kind that a request counts, to limit its work. The job removes all rows. */
export const MAX_COUNTED_PER_KIND = 100_000;

const reason = z.enum(ERASURE_REASONS, { error: `must be one of ${ERASURE_REASONS.join(', ')}` });

export const createErasureSchema = z
  .object({
    reason: reason.meta({ description: 'The ground, as in article 17(1) GDPR.', example: 'SUBJECT_REQUEST' }),
    caseReference: caseReferenceSchema,
  })
  .meta({
    id: 'CreateErasure',
    description: 'Why the data is erased.',
    ...requestMeta(
      {},
      { request: { summary: 'The person asks for it', value: { reason: 'SUBJECT_REQUEST', caseReference: 'DSR-42' } } },
    ),
  });
export type CreateErasure = z.output<typeof createErasureSchema>;

const countSchema = z
  .object({
    kind: z.enum(COUNTED_RECORD_KINDS).meta({ description: 'The kind of records.', example: 'sessions' }),
    count: z.int().meta({ description: 'How many there were at the request.', example: 12 }),
    isLowerBound: z.boolean().meta({ description: 'Whether there are more.', example: false }),
    erased: z.int().meta({ description: 'How many have been removed so far.', example: 0 }),
  })
  .meta({ id: 'ErasedCount', description: 'Records of one kind.' });

export const erasureSchema = z
  .object({
    id: longId('Id of the record.'),
    subjectKind: z.enum(SUBJECT_KINDS).meta({ description: 'Whose data.', example: 'CLIENT' }),
    subjectId: longId('Id of the Client, Care Provider or Clinic.', 3),
    reason: reason.meta({ description: 'The ground.', example: 'SUBJECT_REQUEST' }),
    caseReference: storedCaseReferenceSchema,
    status: z.enum(ERASURE_STATUSES).meta({
      description:
        'REQUESTED, EXPIRED without a confirmation, REFUSED by a legal hold, CONFIRMED: being erased, or backups from before still exist, COMPLETED.',
      example: 'REQUESTED',
    }),
    requestedAt: instantField('When it was requested'),
    confirmableAt: instantField('From when on it can be confirmed', '2026-11-24T10:30:00.000Z'),
    expiresAt: instantField('Until when it can be confirmed', '2026-12-01T10:30:00.000Z'),
    refusedAt: instantField('When a legal hold ended the request, or null').nullable(),
    confirmedAt: instantField('When it was confirmed, or null').nullable(),
    erasedAt: instantField('When the last record was removed, or null').nullable(),
    completesAt: instantField('When backups from before have expired, or null').nullable(),
    counts: z.array(countSchema).meta({ description: 'Numbers of erased records, without kinds that have none.' }),
  })
  .meta({ id: 'Erasure', description: 'The erasure of a Client, a Care Provider or a Clinic.' });
export type ErasureModel = z.output<typeof erasureSchema>;
export const erasurePageSchema = pageSchema(erasureSchema, 'ErasurePage');

export function toErasureModel(erasure: Readonly<Erasure>, now: Temporal.Instant): ErasureModel {
  const { id, subjectKind, subjectId, reason: ground, caseReference } = erasure;
  const { requestedAt, confirmableAt, expiresAt, refusedAt, confirmedAt, erasedAt, completesAt } = erasure;
  const optional = (at: Temporal.Instant | null) => at && formatInstant(at);
  return {
    ...{ id, subjectKind, subjectId, reason: ground, caseReference, status: erasure.getStatus(now) },
    requestedAt: formatInstant(requestedAt),
    confirmableAt: formatInstant(confirmableAt),
    expiresAt: formatInstant(expiresAt),
    refusedAt: optional(refusedAt),
    confirmedAt: optional(confirmedAt),
    erasedAt: optional(erasedAt),
    completesAt: optional(completesAt),
    counts: toCounts(erasure),
  };
}

function toCounts({ counts, erased }: Readonly<Erasure>): ErasureModel['counts'] {
  return COUNTED_RECORD_KINDS.flatMap((kind) => {
    const [count, removed] = [counts[kind] ?? 0, erased[kind] ?? 0];
    if (count === 0 && removed === 0) return [];
    return [
      {
        kind,
        count: Math.min(count, MAX_COUNTED_PER_KIND),
        isLowerBound: count > MAX_COUNTED_PER_KIND,
        erased: removed,
      },
    ];
  });
}
