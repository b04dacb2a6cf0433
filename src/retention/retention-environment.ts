import { z } from 'zod';
import { cronVariable, declareRules, declareVariables } from '../shared/config/env.js';
import { findBoundsProblems, RetentionPolicy, type RetentionBounds } from './domain/retention-policy.js';
import {
  compareRetentionPeriods,
  parseRetentionPeriod,
  RETENTION_PERIOD_PATTERN,
  RETENTION_KINDS,
  UNLIMITED_PERIOD,
  type RetentionKind,
} from './domain/retention-period.js';

/**
 * Default minimums: many countries require clinical records to be kept for ten years, and HIPAA requires six years for
 * an audit trail.
 */
const MINIMUM = { sessions: 'P10Y', homework: 'P3Y', reminders: 'P1Y', audit: 'P6Y' };
const UNLIMITED_KINDS = {
  sessions: UNLIMITED_PERIOD,
  homework: UNLIMITED_PERIOD,
  reminders: UNLIMITED_PERIOD,
  audit: UNLIMITED_PERIOD,
};
const EXAMPLE = 'sessions=P12Y,audit=P10Y';

type Periods = Record<RetentionKind, string>;

/**
 * Creates the schema of a variable that lists kinds and their periods. Kinds that are not listed keep their initial
 * period.
 */
const periods = (initial: Periods, mayBeUnlimited: boolean) =>
  z
    .string()
    .default('')
    .transform((text, context): Periods => {
      const result = { ...initial };
      for (const part of text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean)) {
        const [kind = '', period = '', ...rest] = part.split('=');
        const isPeriod = RETENTION_PERIOD_PATTERN.test(period) || (mayBeUnlimited && period === UNLIMITED_PERIOD);
        if (!isKind(kind) || !isPeriod || rest.length > 0) {
          context.addIssue(`must be a list such as ${EXAMPLE}`);
          return z.NEVER;
        }
        result[kind] = period;
      }
      return result;
    });

const variables = declareVariables('Retention', {
  RETENTION_CRON: cronVariable('0 23 2 * * *').describe(
    'Cron expression, seconds first, in UTC: when data is removed whose retention has ended.',
  ),
  RETENTION_MINIMUM: periods(MINIMUM, false).describe(
    `The shortest retention that a Clinic may choose: a comma-separated list of \`sessions\`, \`homework\`, \`reminders\` and \`audit\` with ISO 8601 durations of years, months or days, such as \`${EXAMPLE}\`. Default: \`${formatList(MINIMUM)}\`.`,
  ),
  RETENTION_MAXIMUM: periods(UNLIMITED_KINDS, true).describe(
    'The longest retention that a Clinic may choose, as such a list. A kind that is absent has no longest retention; one that is given also needs a `RETENTION_DEFAULT`.',
  ),
  RETENTION_DEFAULT: periods(UNLIMITED_KINDS, true).describe(
    'The retention for Clinics that have chosen none, and for entries of the audit trail without a Clinic, as such a list. A kind that is absent is kept without a limit (`UNLIMITED`).',
  ),
});

/**
 * The environment variables for retention. A contradiction between them is an error, so that the service does not
 * start.
 */
export const retentionVariables = declareRules(
  z
    .object(variables)
    .transform(({ RETENTION_CRON: cron, RETENTION_MINIMUM, RETENTION_MAXIMUM, RETENTION_DEFAULT }, context) => {
      const bounds = Object.fromEntries(
        RETENTION_KINDS.map((kind): [string, RetentionBounds] => [
          kind,
          {
            minimum: Temporal.Duration.from(RETENTION_MINIMUM[kind]),
            maximum: parseRetentionPeriod(RETENTION_MAXIMUM[kind]),
            initial: parseRetentionPeriod(RETENTION_DEFAULT[kind]),
          },
        ]),
      ) as Record<RetentionKind, RetentionBounds>;
      const policy = new RetentionPolicy(bounds);
      const today = Temporal.PlainDate.from('2024-01-01');
      // The database functions refuse to remove audit entries that are less than a year old.
      if (compareRetentionPeriods(bounds.audit.minimum, Temporal.Duration.from('P1Y'), today) < 0)
        context.addIssue({ code: 'custom', path: ['RETENTION_MINIMUM'], message: 'audit: must be at least P1Y' });
      for (const { bound, detail: message } of findBoundsProblems(policy, today)) {
        const path = [bound === 'initial' ? 'RETENTION_DEFAULT' : 'RETENTION_MINIMUM'];
        context.addIssue({ code: 'custom', path, message });
      }
      return { cron, policy };
    }),
);

function isKind(text: string): text is RetentionKind {
  return (RETENTION_KINDS as readonly string[]).includes(text);
}

function formatList(list: Periods): string {
  return RETENTION_KINDS.map((kind) => `${kind}=${list[kind]}`).join(',');
}
