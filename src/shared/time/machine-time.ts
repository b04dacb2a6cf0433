/**
 * The time of the machine, in milliseconds since 1970. Tokens and their keys are judged by it and not by the Clock of
 * the application, which a simulation moves by weeks; cron expressions are read with it, too.
 */
export function machineTime(): number {
  return Temporal.Now.instant().epochMilliseconds;
}
