/** An entry of a reminder's history, of which these details are counted. */
export type CountedOutcome = { readonly [detail: string]: unknown };

export type OutcomeLabels = { outcome: string; channel: string; reason: string };

/** Of a label that does not apply. */
const NONE = 'NONE';
/** Of a value that is in no list. The lists are closed: whatever an error is called, there are no more time series. */
const OTHER = 'OTHER';

/** What is counted, with the reasons that it may have. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  QUEUED: [NONE, 'JOB_LOST'],
  SENT: [NONE],
  FAILED: [NONE],
  DEFERRED: ['QUIET_HOURS', 'CHANNEL_BUSY'],
  DEAD: ['ATTEMPTS_EXHAUSTED', 'LATENESS_REACHED', 'UNDELIVERABLE'],
  SKIPPED: ['OPTED_OUT', 'RECIPIENT_GONE', 'TOO_LATE'],
};
const BY_CHANNEL = new Set(['SENT', 'FAILED']);

/** The labels of an outcome: its name, the channel that was tried, and the reason. */
export function labelsOf(
  { what, channel = NONE, reason = NONE }: CountedOutcome,
  channels: readonly string[],
): OutcomeLabels {
  const outcome = oneOf(Object.keys(REASONS), what);
  return {
    outcome: outcome.toLowerCase(),
    channel: oneOf([...channels, NONE], channel),
    reason: oneOf(REASONS[outcome] ?? [], reason),
  };
}

/** All labels that are expected, so that their counters can begin at 0. */
export function expectedLabels(channels: readonly string[]): OutcomeLabels[] {
  return Object.entries(REASONS).flatMap(([what, reasons]) =>
    (BY_CHANNEL.has(what) ? [...channels, NONE] : [NONE]).flatMap((channel) =>
      reasons.map((reason) => labelsOf({ what, channel, reason }, channels)),
    ),
  );
}

function oneOf(known: readonly string[], value: unknown): string {
  return known.find((one) => one === value) ?? OTHER;
}
