/**
 * Returns the machine time in milliseconds since 1970. Tokens and keys are verified against the machine time, not the
 * application's `Clock`, because a simulation moves the `Clock` by weeks. Cron schedules also follow the machine time.
 */
export function getSystemTimeMs(): number {
  return Temporal.Now.instant().epochMilliseconds;
}
