import { useEffect, useState } from 'preact/hooks';
import { getCurrentTime } from './clock.js';

/** The longest delay of a timer in milliseconds. Timers with a longer delay fire immediately. */
const MAX_TIMER_DELAY_MS = 2 ** 31 - 1;

/**
 * Returns whether an instant has passed. The component is rendered again when it passes.
 *
 * @param instant ISO 8601 in UTC, as the service sends it
 */
export function useHasPassed(instant: string): boolean {
  const [now, setNow] = useState(getCurrentTime);
  const hasPassed = instant <= now;
  useEffect(() => {
    if (hasPassed) return undefined;
    // eslint-disable-next-line no-restricted-globals -- Parsing reads no clock, and not all browsers have Temporal.
    const delayMs = Date.parse(instant) - Date.parse(getCurrentTime());
    const timer = setTimeout(() => setNow(getCurrentTime()), Math.min(delayMs, MAX_TIMER_DELAY_MS));
    return () => clearTimeout(timer);
  }, [instant, hasPassed, now]);
  return hasPassed;
}
