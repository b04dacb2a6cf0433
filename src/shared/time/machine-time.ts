/**
 * The time of the machine in milliseconds since 1970. Tokens and keys are verified with it, not with the Clock of the
 * application, because a simulation moves that Clock by weeks. Cron expressions use it as well.
 */
export function machineTime(): number {
  return Temporal.Now.instant().epochMilliseconds;
}
