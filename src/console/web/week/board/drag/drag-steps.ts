/*
 * Computes the new times of a Session that is dragged on the board. Minutes are counted from midnight, and days from
 * the first column.
 */

/** The hours that the board shows. */
export type HourRange = { first: number; last: number };

/** The local times of a Session on the board. */
export type BoardSessionTimes = { day: number; startMinute: number; durationMinutes: number };

/** Dragging moves a Session in steps of a quarter of an hour. The dialog that then opens accepts any minute. */
export const DRAG_STEP_MINUTES = 15;
const MINUTES_OF_AN_HOUR = 60;

/**
 * Moves a minute by the number of minutes that the pointer was dragged, and rounds the result to a whole step. If the
 * pointer was dragged by less than half a step, the minute does not change, so a Session that is dragged to another day
 * keeps a time such as 10:05.
 */
export function moveMinuteInSteps(minute: number, minutesDragged: number): number {
  if (Math.abs(minutesDragged) < DRAG_STEP_MINUTES / 2) return minute;
  return Math.round((minute + minutesDragged) / DRAG_STEP_MINUTES) * DRAG_STEP_MINUTES;
}

/**
 * Returns the new times of a Session whose body was dragged by days and minutes. The Session stays within the week and
 * the hours of the board.
 */
export function moveDraggedSession(
  times: BoardSessionTimes,
  days: number,
  minutesDragged: number,
  hours: HourRange,
  lastDay: number,
): BoardSessionTimes {
  const earliest = Math.min(times.startMinute, hours.first * MINUTES_OF_AN_HOUR);
  const latest = Math.max(times.startMinute, hours.last * MINUTES_OF_AN_HOUR - DRAG_STEP_MINUTES);
  return {
    day: clamp(times.day + days, 0, lastDay),
    startMinute: clamp(moveMinuteInSteps(times.startMinute, minutesDragged), earliest, latest),
    durationMinutes: times.durationMinutes,
  };
}

/**
 * Returns the new times of a Session whose end was dragged. The Session lasts at least one step, and ends within the
 * hours of the board.
 */
export function resizeDraggedSession(
  times: BoardSessionTimes,
  minutesDragged: number,
  hours: HourRange,
): BoardSessionTimes {
  const end = times.startMinute + times.durationMinutes;
  const earliest = Math.min(end, times.startMinute + DRAG_STEP_MINUTES);
  const latest = Math.max(end, hours.last * MINUTES_OF_AN_HOUR);
  return {
    ...times,
    durationMinutes: clamp(moveMinuteInSteps(end, minutesDragged), earliest, latest) - times.startMinute,
  };
}

/**
 * Formats a minute as `HH:mm`.
 *
 * @param minute counted from midnight; may be on the next day
 */
export function formatMinuteOfDay(minute: number): string {
  const ofDay = minute % (24 * MINUTES_OF_AN_HOUR);
  return [Math.trunc(ofDay / MINUTES_OF_AN_HOUR), ofDay % MINUTES_OF_AN_HOUR]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/**
 * Parses a time to minutes since midnight.
 *
 * @param time in the format `HH:mm`
 */
export function parseMinuteOfDay(time: string): number {
  return Number(time.slice(0, 2)) * MINUTES_OF_AN_HOUR + Number(time.slice(3, 5));
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
