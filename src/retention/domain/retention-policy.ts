import {
  comparePeriods,
  formatPeriod,
  RETENTION_KINDS,
  getShorterPeriod,
  type RetentionKind,
  type RetentionPeriod,
} from './retention-period.js';

/** The bounds and the default for one kind of data, as configured by the operator. */
export type RetentionBounds = { minimum: Temporal.Duration; maximum: RetentionPeriod; initial: RetentionPeriod };

/** The periods that a Clinic has chosen; undefined for a kind means the operator's default. */
export type ChosenPeriods = Partial<Record<RetentionKind, RetentionPeriod | undefined>>;
export type EffectivePeriods = Record<RetentionKind, RetentionPeriod>;

/** A chosen period that is not allowed, and the reason. */
export type RefusedPeriod = { kind: RetentionKind; detail: string };

/** Homework and reminders are removed together with their Sessions, so they cannot be kept longer than the Sessions. */
const PARTS_OF_SESSIONS = ['homework', 'reminders'] as const;

/** Decides how long data is kept, from the Clinic's choice and the operator's bounds. */
export class RetentionPolicy {
  constructor(readonly bounds: Readonly<Record<RetentionKind, RetentionBounds>>) {}

  /**
   * Returns the periods that apply. If the operator changes the bounds, the new bounds also apply to periods chosen
   * earlier.
   */
  resolve(chosen: ChosenPeriods, today: Temporal.PlainDate): EffectivePeriods {
    const periods = Object.fromEntries(
      RETENTION_KINDS.map((kind) => [kind, this.clamp(kind, chosen[kind], today)]),
    ) as EffectivePeriods;
    for (const kind of PARTS_OF_SESSIONS) periods[kind] = getShorterPeriod(periods[kind], periods.sessions, today);
    return periods;
  }

  /** Returns the chosen periods that are outside the bounds or longer than the period for Sessions. */
  findRefused(chosen: ChosenPeriods, today: Temporal.PlainDate): RefusedPeriod[] {
    const refused = RETENTION_KINDS.flatMap((kind): RefusedPeriod[] => {
      const { minimum, maximum } = this.bounds[kind];
      const period = chosen[kind];
      if (period === undefined) return [];
      if (comparePeriods(period, minimum, today) < 0)
        return [{ kind, detail: `must be at least ${formatPeriod(minimum)}` }];
      if (comparePeriods(period, maximum, today) > 0)
        return [{ kind, detail: `must be at most ${formatPeriod(maximum)}` }];
      return [];
    });
    if (refused.length > 0) return refused;
    const { sessions } = this.resolve(chosen, today);
    return PARTS_OF_SESSIONS.flatMap((kind): RefusedPeriod[] => {
      const period = chosen[kind];
      if (period === undefined || comparePeriods(period, sessions, today) <= 0) return [];
      return [{ kind, detail: `must not be longer than that of sessions, ${formatPeriod(sessions)}` }];
    });
  }

  private clamp(kind: RetentionKind, chosen: RetentionPeriod | undefined, today: Temporal.PlainDate): RetentionPeriod {
    const { minimum, maximum, initial } = this.bounds[kind];
    const period = getShorterPeriod(chosen === undefined ? initial : chosen, maximum, today);
    return comparePeriods(period, minimum, today) < 0 ? minimum : period;
  }
}

/** Returns one line for each contradiction in the operator's bounds. */
export function findBoundsProblems({ bounds }: RetentionPolicy, today: Temporal.PlainDate): string[] {
  const problems = RETENTION_KINDS.flatMap((kind) => {
    const { minimum, maximum, initial } = bounds[kind];
    if (comparePeriods(maximum, minimum, today) < 0) return [`${kind}: the maximum is below the minimum`];
    const isOutside = comparePeriods(initial, minimum, today) < 0 || comparePeriods(initial, maximum, today) > 0;
    return isOutside ? [`${kind}: the default is outside of the minimum and the maximum`] : [];
  });
  const tooShort = PARTS_OF_SESSIONS.filter(
    (kind) => comparePeriods(bounds.sessions.minimum, bounds[kind].minimum, today) < 0,
  );
  return [...problems, ...tooShort.map((kind) => `${kind}: the minimum is above that of sessions`)];
}
