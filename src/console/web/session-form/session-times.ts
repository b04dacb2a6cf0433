import { MAX_SESSION_MINUTES } from '../data/session-duration.js';
import { addDaysToSlashDate } from '../ui/time/calendar-days.js';
import { findUtcOffsetMinutes, getDeviceZone } from './zone-offset.js';

/** The time zone in which the user enters times. */
export type TimeZoneChoice = 'clinic' | 'client' | 'device';

/** The form values for the times of Sessions. */
export type SessionTimesFormValues = {
  /** `yyyy-MM-dd`, the format of date inputs. */
  date: string;
  time: string;
  clock: TimeZoneChoice;
  minutes: string;
  interval: string;
  /** Times of reminders relative to the start of a Session, as ISO 8601 durations. */
  reminders: readonly string[];
};

export type SessionTimesErrors = Partial<
  Record<'/date' | '/time' | '/durationMinutes' | '/intervalDays', 'missing' | 'number'>
>;

export const REMINDER_OFFSET_CHOICES = ['-P1D', '-PT2H'] as const;
const MAX_INTERVAL = 365;

/**
 * Returns the initial values of the form. The date is a week from now, because changing a date is easier than entering
 * one.
 *
 * @param today `yyyy/MM/dd`
 */
export function createInitialSessionTimes(today: string): SessionTimesFormValues {
  const date = addDaysToSlashDate(today, 7).replaceAll('/', '-');
  return { date, time: '10:00', clock: 'clinic', minutes: '50', interval: '7', reminders: ['-P1D'] };
}

/**
 * Returns the choice that the form offers. The choice for another Client may be missing: one without a zone of their own
 * has the Clinic's, and one in the zone of this device has no second choice for it.
 *
 * @param clientZone null means the Clinic's time zone
 */
export function toOfferedChoice(clock: TimeZoneChoice, clientZone: string | null): TimeZoneChoice {
  if (clock === 'client' && clientZone === null) return 'clinic';
  return clock === 'device' && clientZone === getDeviceZone() ? 'client' : clock;
}

/** Returns the errors that the service would report, keyed by the same JSON pointers. */
export function validateSessionTimes({ date, time, minutes, interval }: SessionTimesFormValues): SessionTimesErrors {
  return {
    ...(/^\d{4}-\d{2}-\d{2}$/.test(date) ? {} : { '/date': 'missing' as const }),
    ...(/^\d{2}:\d{2}$/.test(time) ? {} : { '/time': 'missing' as const }),
    ...(isNumber(minutes, MAX_SESSION_MINUTES) ? {} : { '/durationMinutes': 'number' as const }),
    ...(isNumber(interval, MAX_INTERVAL) ? {} : { '/intervalDays': 'number' as const }),
  };
}

/**
 * Returns the time fields of the request body, and the UTC offset at which the service interprets them.
 *
 * @param clientZone null means the Clinic's time zone
 */
export function toSessionTimesRequest(
  { date, time, clock, minutes, interval, reminders }: SessionTimesFormValues,
  clientZone: string | null,
) {
  const slashed = date.replaceAll('-', '/');
  const zone = clock === 'device' ? getDeviceZone() : clock === 'client' ? clientZone : null;
  return {
    offset: zone === null ? undefined : findUtcOffsetMinutes(slashed, time, zone),
    body: {
      date: slashed,
      time,
      durationMinutes: Number(minutes),
      intervalDays: Number(interval),
      ...(reminders.length > 0 && { reminders: [...reminders] }),
    },
  };
}

function isNumber(text: string, max: number): boolean {
  return /^\d{1,3}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= max;
}
