import {
  compareRetentionPeriods,
  formatRetentionPeriod,
  RETENTION_KINDS,
  getShorterRetentionPeriod,
  type RetentionKind,
  type RetentionPeriod,
} from './retention-period.js';

/** The bounds and the default for one kind of data, as configured by the operator. */
export type RetentionBounds = { minimum: Temporal.Duration; maximum: RetentionPeriod; initial: RetentionPeriod };

/** The periods that a Clinic has chosen; undefined for a kind means the operator's default. */
export type ChosenRetentionPeriods = Partial<Record<RetentionKind, RetentionPeriod | undefined>>;
export type EffectiveRetentionPeriods = Record<RetentionKind, RetentionPeriod>;

/** A chosen period that is not allowed, and the reason. */
type RefusedRetentionPeriod = { kind: RetentionKind; detail: string };

/** Homework and reminders are removed together with their Sessions, so they cannot be kept longer than the Sessions. */
const PARTS_OF_SESSIONS = ['homework', 'reminders'] as const;

/** Decides how long data is kept, from the Clinic's choice and the operator's bounds. */
export class RetentionPolicy {
  constructor(readonly bounds: Readonly<Record<RetentionKind, RetentionBounds>>) {}

  /**
   * Returns the periods that apply. If the operator changes the bounds, the new bounds also apply to periods chosen
   * earlier.
   */
  resolve(chosen: ChosenRetentionPeriods, today: Temporal.PlainDate): EffectiveRetentionPeriods {
    const periods = Object.fromEntries(
      RETENTION_KINDS.map((kind) => [kind, this.clamp(kind, chosen[kind], today)]),
    ) as EffectiveRetentionPeriods;
    for (const kind of PARTS_OF_SESSIONS)
      periods[kind] = getShorterRetentionPeriod(periods[kind], periods.sessions, today);
    return periods;
  }

  /** Returns the chosen periods that are outside the bounds or longer than the period for Sessions. */
  findRefused(chosen: ChosenRetentionPeriods, today: Temporal.PlainDate): RefusedRetentionPeriod[] {
    const refused = RETENTION_KINDS.flatMap((kind): RefusedRetentionPeriod[] => {
      const { minimum, maximum } = this.bounds[kind];
      const period = chosen[kind];
      if (period === undefined) return [];
      if (compareRetentionPeriods(period, minimum, today) < 0)
        return [{ kind, detail: `must be at least ${formatRetentionPeriod(minimum)}` }];
      if (compareRetentionPeriods(period, maximum, today) > 0)
        return [{ kind, detail: `must be at most ${formatRetentionPeriod(maximum)}` }];
      return [];
    });
    if (refused.length > 0) return refused;
    const { sessions } = this.resolve(chosen, today);
    return PARTS_OF_SESSIONS.flatMap((kind): RefusedRetentionPeriod[] => {
      const period = chosen[kind];
      if (period === undefined || compareRetentionPeriods(period, sessions, today) <= 0) return [];
      return [{ kind, detail: `must not be longer than that of sessions, ${formatRetentionPeriod(sessions)}` }];
    });
  }

  private clamp(kind: RetentionKind, chosen: RetentionPeriod | undefined, today: Temporal.PlainDate): RetentionPeriod {
    const { minimum, maximum, initial } = this.bounds[kind];
    const period = getShorterRetentionPeriod(chosen === undefined ? initial : chosen, maximum, today);
    return compareRetentionPeriods(period, minimum, today) < 0 ? minimum : period;
  }
}

/** A contradiction in the operator's bounds, and the bound that is to be changed. */
type BoundsProblem = { bound: 'minimum' | 'initial'; detail: string };

/** Finds the contradictions in the operator's bounds. */
export function findBoundsProblems({ bounds }: RetentionPolicy, today: Temporal.PlainDate): BoundsProblem[] {
  const problems = RETENTION_KINDS.flatMap((kind): BoundsProblem[] => {
    const { minimum, maximum, initial } = bounds[kind];
    if (compareRetentionPeriods(maximum, minimum, today) < 0)
      return [{ bound: 'minimum', detail: `${kind}: the minimum is above the maximum` }];
    const isOutside =
      compareRetentionPeriods(initial, minimum, today) < 0 || compareRetentionPeriods(initial, maximum, today) > 0;
    if (!isOutside) return [];
    const detail = `${kind}: the default, ${formatRetentionPeriod(initial)}, is outside of the minimum and the maximum`;
    return [{ bound: 'initial', detail }];
  });
  const tooShort = PARTS_OF_SESSIONS.filter(
    (kind) => compareRetentionPeriods(bounds.sessions.minimum, bounds[kind].minimum, today) < 0,
  );
  return [
    ...problems,
    ...tooShort.map((kind) => ({
      bound: 'minimum' as const,
      detail: `${kind}: the minimum is above that of sessions`,
    })),
  ];
}
