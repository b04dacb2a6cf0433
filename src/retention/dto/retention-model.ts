import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { booleanQuery, requestMeta } from '../../shared/validation/index.js';
import {
  formatRetentionPeriod,
  parseRetentionPeriod,
  RETENTION_PERIOD_PATTERN,
  RETENTION_KINDS,
  UNLIMITED_PERIOD,
  type RetentionKind,
} from '../domain/retention-period.js';
import type { ChosenRetentionPeriods, EffectiveRetentionPeriods, RetentionPolicy } from '../domain/retention-policy.js';
import type { RetentionSetting } from '../domain/retention-setting.entity.js';

const DESCRIPTIONS: Record<RetentionKind, string> = {
  sessions:
    'Series with their Sessions, homework and reminders, counted from the last end, creation or change of status of a Session. A series with an upcoming or paused Session, or with an unsent reminder, is kept.',
  homework: 'Homework of series that have ended, counted in the same way.',
  reminders: 'Reminders and their history, of series that have ended, counted in the same way.',
  audit: 'Entries of the audit trail, counted from the request. They are removed by whole months.',
};

const period = (kind: RetentionKind) =>
  z
    .string({ error: 'must be a text' })
    .refine((text) => text === UNLIMITED_PERIOD || RETENTION_PERIOD_PATTERN.test(text), {
      error: `must be a number of years, months or days such as P10Y, or ${UNLIMITED_PERIOD}`,
    })
    .nullish()
    .transform((text) => (text == null ? undefined : parseRetentionPeriod(text)))
    .meta({
      description: `${DESCRIPTIONS[kind]} Null: the default.`,
      example: 'P12Y',
    });

export const putRetentionSchema = z
  .object({
    sessions: period('sessions'),
    homework: period('homework'),
    reminders: period('reminders'),
    audit: period('audit'),
  })
  .meta({
    id: 'PutRetention',
    description: `How long each kind of data is kept: ISO 8601 durations of years, months or days, or ${UNLIMITED_PERIOD}.`,
    ...requestMeta(
      {},
      { twelveYears: { summary: 'Twelve years', value: { sessions: 'P12Y', reminders: 'P3Y', audit: 'P10Y' } } },
    ),
  });
export type PutRetention = z.output<typeof putRetentionSchema>;

export const retentionQuery = z.object({
  dryRun: booleanQuery
    .prefault('false')
    .meta({ description: 'true: returns the result without changing anything.', example: 'false' }),
});
export type RetentionQuery = z.output<typeof retentionQuery>;

const periodText = (description: string, example: string) => z.string().meta({ description, example });

const kindSchema = z
  .object({
    chosen: periodText('The choice of the Clinic. Null: none.', 'P12Y').nullable(),
    effective: periodText('What applies: the choice or the default, within the bounds.', 'P12Y'),
    default: periodText('What applies without a choice.', UNLIMITED_PERIOD),
    minimum: periodText('The shortest retention.', 'P10Y'),
    maximum: periodText('The longest retention.', UNLIMITED_PERIOD),
    removedBefore: z.string().nullable().meta({
      description: 'The next run removes data from before this instant. Null: none.',
      example: '2014-11-24T00:00:00.000Z',
    }),
    removable: z.int().meta({ description: 'How many records the next run removes.', example: 120 }),
    isLowerBound: z.boolean().meta({ description: 'Whether there are more.', example: false }),
  })
  .meta({ id: 'RetentionOfKind', description: 'How long one kind of data is kept.' });

export const retentionSchema = z
  .object({
    version: z.int().meta({ description: 'Counts the changes; 0: the Clinic has chosen nothing yet.', example: 1 }),
    changedAt: z.string().nullable().meta({
      description: 'When the Clinic last changed its choice. Null if it never did.',
      example: '2026-11-24T09:30:00.000Z',
    }),
    sessions: kindSchema,
    homework: kindSchema,
    reminders: kindSchema,
    audit: kindSchema,
  })
  .meta({
    id: 'Retention',
    description: 'How long a Clinic keeps its data, and what the next run of the job removes.',
  });
export type RetentionModel = z.output<typeof retentionSchema>;

/** A number of rows that is counted only up to a maximum. */
export type CappedRowCount = { count: number; isLowerBound: boolean };

/**
 * The records of one kind that the next run removes: those from before the instant `before`, or none if it is
 * undefined.
 */
export type RemovableRecordCount = CappedRowCount & { before: Temporal.Instant | undefined };

export function toRetentionModel(
  setting: RetentionSetting | null,
  {
    chosen,
    effective,
    removable,
  }: {
    chosen: ChosenRetentionPeriods;
    effective: EffectiveRetentionPeriods;
    removable: Record<RetentionKind, RemovableRecordCount>;
  },
  { bounds }: RetentionPolicy,
): RetentionModel {
  const toKind = (kind: RetentionKind) => {
    const { minimum, maximum, initial } = bounds[kind];
    const { before, count, isLowerBound } = removable[kind];
    const own = chosen[kind];
    return {
      chosen: own === undefined ? null : formatRetentionPeriod(own),
      effective: formatRetentionPeriod(effective[kind]),
      default: formatRetentionPeriod(initial),
      minimum: formatRetentionPeriod(minimum),
      maximum: formatRetentionPeriod(maximum),
      removedBefore: before === undefined ? null : formatInstant(before),
      removable: count,
      isLowerBound,
    };
  };
  const kinds = Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, toKind(kind)]));
  return {
    version: setting?.version ?? 0,
    changedAt: setting && formatInstant(setting.changedAt),
    ...(kinds as Pick<RetentionModel, RetentionKind>),
  };
}
