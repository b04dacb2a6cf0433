it.each([
  [Temporal.Instant.from('2026-11-30T10:00:00Z'), Temporal.Instant.from('2026-11-30T10:00:01Z')],
  [Temporal.PlainDate.from('2026-11-30'), Temporal.PlainDate.from('2026-12-01')],
  [Temporal.Duration.from('PT60M'), Temporal.Duration.from('PT1H')],
])('Jest tells Temporal values apart: %s and %s', (one, other) => {
  expect({ at: one }).not.toEqual({ at: other });
  expect({ at: one }).not.toMatchObject({ at: other });
  expect([one]).toEqual([one]);
});
