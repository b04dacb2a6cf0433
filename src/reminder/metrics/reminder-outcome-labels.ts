import { DEFERRAL_REASONS } from '../domain/reminder-history.js';
import { DEAD_LETTER_REASONS, type SkipReason } from '../domain/reminder-status.js';

/** An outcome to count, in the form of an entry in a reminder's history. */
export type CountedOutcome = { readonly [detail: string]: unknown };

type OutcomeLabels = { outcome: string; channel: string; reason: string };

/** Label value for a label that does not apply to the outcome. */
const NOT_APPLICABLE = 'NONE';
/** Replaces values that are not in the lists below, which limits the number of time series. */
const UNLISTED = 'OTHER';

/**
 * Whether reminders are skipped for a reason when they are due, which is an outcome. PAST_WHEN_PLANNED is found when a
 * reminder is planned, and is not counted.
 */
const IS_OUTCOME: Readonly<Record<SkipReason, boolean>> = {
  OPTED_OUT: true,
  RECIPIENT_GONE: true,
  TOO_LATE: true,
  SESSION_STARTED: true,
  AFTER_DUE: true,
  QUIET_HOURS: true,
  PAST_WHEN_PLANNED: false,
};

/** The outcomes that are counted, with their possible reasons. */
const REASONS_BY_OUTCOME: Readonly<Record<string, readonly string[]>> = {
  QUEUED: [NOT_APPLICABLE, 'JOB_LOST'],
  SENT: [NOT_APPLICABLE],
  FAILED: [NOT_APPLICABLE],
  DEFERRED: DEFERRAL_REASONS,
  DEAD: DEAD_LETTER_REASONS,
  SKIPPED: Object.entries(IS_OUTCOME).flatMap(([reason, isOutcome]) => (isOutcome ? [reason] : [])),
};
const OUTCOMES_WITH_CHANNEL = new Set(['SENT', 'FAILED', 'DEFERRED']);

/** Returns the metric labels of an outcome. @param channels the names of all channels */
export function toOutcomeLabels(
  { what, channel = NOT_APPLICABLE, reason = NOT_APPLICABLE }: CountedOutcome,
  channels: readonly string[],
): OutcomeLabels {
  const outcome = toListed(Object.keys(REASONS_BY_OUTCOME), what);
  return {
    outcome: outcome.toLowerCase(),
    channel: toListed([...channels, NOT_APPLICABLE], channel),
    reason: toListed(REASONS_BY_OUTCOME[outcome] ?? [], reason),
  };
}

/** All label combinations that can occur. */
export function listExpectedLabels(channels: readonly string[]): OutcomeLabels[] {
  return Object.entries(REASONS_BY_OUTCOME).flatMap(([what, reasons]) =>
    (OUTCOMES_WITH_CHANNEL.has(what) ? [...channels, NOT_APPLICABLE] : [NOT_APPLICABLE]).flatMap((channel) =>
      reasons.map((reason) => toOutcomeLabels({ what, channel, reason }, channels)),
    ),
  );
}

function toListed(list: readonly string[], value: unknown): string {
  return list.find((listed) => listed === value) ?? UNLISTED;
}
