import { findBoundsProblems, RetentionPolicy, type RetentionBounds } from './retention-policy.js';
import {
  compareRetentionPeriods,
  findRetentionLimit,
  formatRetentionPeriod,
  parseRetentionPeriod,
  type RetentionKind,
} from './retention-period.js';

const TODAY = Temporal.PlainDate.from('2026-11-24');

function createPolicy(changes: Partial<Record<RetentionKind, Partial<Record<keyof RetentionBounds, string>>>> = {}) {
  const bounds = (kind: RetentionKind, minimum: string): RetentionBounds => {
    const { maximum = 'UNLIMITED', initial = 'UNLIMITED', minimum: changed = minimum } = changes[kind] ?? {};
    return {
      minimum: Temporal.Duration.from(changed),
      maximum: parseRetentionPeriod(maximum),
      initial: parseRetentionPeriod(initial),
    };
  };
  return new RetentionPolicy({
    sessions: bounds('sessions', 'P10Y'),
    homework: bounds('homework', 'P3Y'),
    reminders: bounds('reminders', 'P1Y'),
    audit: bounds('audit', 'P6Y'),
  });
}

const toTexts = (periods: object) =>
  Object.fromEntries(Object.entries(periods).map(([kind, period]) => [kind, formatRetentionPeriod(period)]));

it.each([
  ['P1Y', 'P12M', 0],
  ['P365D', 'P1Y', 0],
  ['P30D', 'P1M', -1],
  ['UNLIMITED', 'P999Y', 1],
  ['UNLIMITED', 'UNLIMITED', 0],
])('compares %s with %s', (one, other, expected) => {
  expect(compareRetentionPeriods(parseRetentionPeriod(one), parseRetentionPeriod(other), TODAY)).toBe(expected);
});

it.each([
  ['P1Y', 'Europe/London', '2025-11-24T00:00:00Z'],
  ['P1D', 'America/Los_Angeles', '2026-11-23T08:00:00Z'],
  ['P9M', 'UTC', '2026-02-24T00:00:00Z'],
])('%s in %s ends at the start of a day', (period, zone, expected) => {
  const limit = findRetentionLimit(parseRetentionPeriod(period), zone, Temporal.Instant.from('2026-11-24T10:30:00Z'));
  expect(limit?.toString()).toBe(expected);
});

it('keeps everything without a choice', () => {
  const all = createPolicy().resolve({}, TODAY);
  expect(new Set(Object.values(all))).toEqual(new Set([null]));
  expect(findRetentionLimit(all.audit, 'UTC', Temporal.Instant.from('2026-11-24T10:30:00Z'))).toBeUndefined();
});

it('keeps parts of Sessions no longer than the Sessions', () => {
  const chosen = { sessions: parseRetentionPeriod('P11Y'), reminders: parseRetentionPeriod('P2Y') };
  expect(toTexts(createPolicy().resolve(chosen, TODAY))).toEqual({
    sessions: 'P11Y',
    homework: 'P11Y',
    reminders: 'P2Y',
    audit: 'UNLIMITED',
  });
});

it('applies bounds that were changed after the choice', () => {
  const policy = createPolicy({ audit: { minimum: 'P8Y' }, sessions: { maximum: 'P15Y', initial: 'P15Y' } });
  const chosen = { audit: parseRetentionPeriod('P6Y'), sessions: null };
  expect(toTexts(policy.resolve(chosen, TODAY))).toMatchObject({ audit: 'P8Y', sessions: 'P15Y' });
});

it('finds contradictions in the bounds', () => {
  expect(findBoundsProblems(createPolicy(), TODAY)).toEqual([]);
  const policy = createPolicy({
    audit: { maximum: 'P5Y', initial: 'P5Y' },
    homework: { minimum: 'P11Y' },
    reminders: { initial: 'P6M' },
  });
  expect(findBoundsProblems(policy, TODAY)).toEqual([
    { bound: 'initial', detail: 'reminders: the default, P6M, is outside of the minimum and the maximum' },
    { bound: 'minimum', detail: 'audit: the minimum is above the maximum' },
    { bound: 'minimum', detail: 'homework: the minimum is above that of sessions' },
  ]);
});
