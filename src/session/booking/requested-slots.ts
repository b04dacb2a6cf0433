import { parseClockTime, parseSlashDate, resolveRequestZone } from '../../shared/time/index.js';
import { createSeriesSlots, type SessionSlot } from '../domain/series-slots.js';

type RequestedTimes = { date: string; time: string; intervalDays?: number | undefined };
type RequestContext = { offset: string | undefined; clinicZone: string; now: Temporal.Instant };

/** Returns the times of the Sessions that a request creates, read with its `offset` header. */
export function toRequestedSlots(
  { date, time, intervalDays }: RequestedTimes,
  count: number,
  { offset, clinicZone, now }: RequestContext,
): SessionSlot[] {
  const first = parseSlashDate(date)!.toPlainDateTime(parseClockTime(time));
  return createSeriesSlots(first, resolveRequestZone(offset, clinicZone, first, now), count, intervalDays);
}
