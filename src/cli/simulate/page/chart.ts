import { formatDayAndTime, formatDay, formatTime, formatWeekday, formatWeek } from '../report/format.js';
import { formatReminderResult } from '../report/reminder-result.js';
import type { SimulationResult } from '../simulation.js';
import {
  REMINDER_TYPES,
  type ClockChangeEvent,
  type ReminderEvent,
  type SessionEvent,
  type SimulatedWeek,
} from '../report/weekly-events.js';
import {
  renderCompletionSymbol,
  renderDueTimeSymbol,
  REMINDER_TYPE_NAMES,
  REMINDER_RESULT_NAMES,
  renderReminderSymbol,
  renderSessionSymbol,
} from './symbols.js';
import { markup, type Markup } from './markup.js';

const LABELS = 112;
const DAY = 154;
const WIDTH = LABELS + 7 * DAY + 1;
const HEADER = 30;
const ROW = 72;
const GAP = 7;
/**
 * Vertical positions within a row, from the first to the last element: the Client's Session reminders, the Client's
 * homework reminders, the Care Provider's reminders, completed Books.
 */
const LINE_HEIGHTS = [14, 32, 60, 46] as const;
const COMPLETION_LINE = 3;
/** Vertical offsets that are tried for a symbol until it does not overlap another one. */
const VERTICAL_SHIFTS = [0, -7, 7] as const;
const MINUTES_OF_DAY = 24 * 60;
const MIN_SESSION_WIDTH = 7;

/** Renders a chart with one row per week. Each row shows seven days, in the Client's time zone. */
export function renderWeekChart(simulation: SimulationResult, weeks: readonly SimulatedWeek[], title: string): Markup {
  const height = HEADER + weeks.length * (ROW + GAP);
  const rows = weeks.map((week, index) => renderWeek(week, weeks[index + 1], HEADER + index * (ROW + GAP), simulation));
  const description = `One row for each of ${weeks.length} weeks, seven days across. The table below has the same content.`;
  return markup`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="picture-title picture-description">
<title id="picture-title">${title}</title><desc id="picture-description">${description}</desc>
${weeks.slice(0, 1).map(({ first }) => renderWeekdays(first))}
${rows}
</svg>`;
}

function renderWeekdays(first: Temporal.PlainDate): Markup {
  const days = Array.from({ length: 7 }, (_, day) => {
    const x = LABELS + (day + 0.5) * DAY;
    return markup`<text class="weekday" x="${x}" y="18">${formatWeekday(first.add({ days: day }))}</text>`;
  });
  return markup`${days}`;
}

function renderWeek(
  week: SimulatedWeek,
  next: SimulatedWeek | undefined,
  top: number,
  { options, client }: SimulationResult,
): Markup {
  const place = createPlacement(week.first, top);
  const nights = options.quietHours ? renderQuietHours(options.quietHours, top) : [];
  const background = week.events.flatMap((event) => {
    if (event.kind === 'SESSION') return renderSessionEvent(event, week.first, top);
    return event.kind === 'CLOCK_CHANGE' ? renderClockChange(event, week.first, top) : [];
  });
  const foreground = week.events.flatMap((event) => {
    if (event.kind === 'SESSION' || event.kind === 'CLOCK_CHANGE') return [];
    if (event.kind === 'REMINDER')
      return renderReminderEvent(event, place, next === undefined ? undefined : top + ROW + GAP);
    const position = place(event.at, COMPLETION_LINE);
    return markup`<g><title>${event.book} done, ${formatDayAndTime(event.at)}</title>${renderCompletionSymbol(position)}</g>`;
  });
  const offset = week.first.toZonedDateTime(client.timeZone).offset;
  return markup`<g>
<text class="week" x="0" y="${top + 31}">${week.label}</text>
<text class="dates" x="0" y="${top + 49}">${formatWeek(week.first)}<title>UTC offset ${offset} at its beginning</title></text>
<rect class="row" x="${LABELS}" y="${top}" width="${7 * DAY}" height="${ROW}" rx="6"/>
${nights}
${[1, 2, 3, 4, 5, 6].map((day) => markup`<path class="midnight" d="M${LABELS + day * DAY} ${top}v${ROW}"/>`)}
${background}
${foreground}
</g>`;
}

type Placement = (at: Temporal.ZonedDateTime, type: number) => { x: number; y: number };

/** Creates a function that positions a symbol so that it does not overlap earlier symbols. */
function createPlacement(first: Temporal.PlainDate, top: number): Placement {
  const taken = LINE_HEIGHTS.map((): number[] => []);
  return (at, type) => {
    const x = LABELS + countDays(first, at) * DAY;
    const neighbours = taken[type]!.filter((other) => Math.abs(other - x) < 11).length;
    taken[type]!.push(x);
    return { x, y: top + LINE_HEIGHTS[type]! + VERTICAL_SHIFTS[neighbours % VERTICAL_SHIFTS.length]! };
  };
}

/** Counts days in local time, so a day with a clock change is as wide as any other day. */
function countDays(first: Temporal.PlainDate, at: Temporal.ZonedDateTime): number {
  return first.until(at.toPlainDate(), { largestUnit: 'days' }).days + toMinutes(at) / MINUTES_OF_DAY;
}

function toMinutes({ hour, minute }: { hour: number; minute: number }): number {
  return hour * 60 + minute;
}

function renderQuietHours({ from, to }: { from: string; to: string }, top: number): Markup[] {
  const [begin, end] = [from, to].map((time) => toMinutes(Temporal.PlainTime.from(time)) / MINUTES_OF_DAY) as [
    number,
    number,
  ];
  const spans = begin < end ? [[begin, end]] : [[0, end], [begin, 1]]; // prettier-ignore
  return Array.from({ length: 7 }, (_, day) =>
    spans.map(
      ([left, right]) =>
        markup`<rect class="quiet" x="${LABELS + (day + left!) * DAY}" y="${top}" width="${(right! - left!) * DAY}" height="${ROW}"/>`,
    ),
  ).flat();
}

function renderSessionEvent({ at, session }: SessionEvent, first: Temporal.PlainDate, top: number): Markup {
  const x = LABELS + countDays(first, at) * DAY;
  const width = Math.max((session.durationMinutes / MINUTES_OF_DAY) * DAY, MIN_SESSION_WIDTH);
  const isCancelled = session.status === 'CANCELLED';
  const label = isCancelled ? 'cancelled' : `UTC${at.offset}`;
  return markup`<g><title>Session ${session.position}: ${session.title}, ${formatDayAndTime(at)} ${at.offset}, ${session.status.toLowerCase()}</title>
${renderSessionSymbol(x, top + 5, width, ROW - 10, isCancelled)}
<text class="time" x="${x + width + 5}" y="${top + 19}">${formatTime(at)} <tspan class="offset">${label}</tspan></text></g>`;
}

function renderReminderEvent(
  { at, type, subject, result }: ReminderEvent,
  place: Placement,
  nextTop: number | undefined,
): Markup {
  const due = place(at, REMINDER_TYPES.indexOf(type));
  const title = markup`<title>${subject} (${REMINDER_TYPE_NAMES[type]}), ${formatDayAndTime(at)}. ${REMINDER_RESULT_NAMES[result.kind]} ${formatReminderResult(result, at)}</title>`;
  if (result.kind !== 'DEFERRED' || result.at === null) {
    return markup`<g>${title}${renderReminderSymbol(type, result.kind, due)}</g>`;
  }
  const sent = { x: due.x + daysBetween(at, result.at) * DAY, y: due.y };
  const edge = LABELS + 7 * DAY;
  const isNextWeek = sent.x > edge && nextTop !== undefined;
  if (!isNextWeek) {
    return markup`<g>${title}${renderDelay(due.x, sent.x, due.y)}${renderDueTimeSymbol(type, due)}${renderReminderSymbol(type, 'DEFERRED', sent)}</g>`;
  }
  const next = { x: sent.x - 7 * DAY, y: nextTop + LINE_HEIGHTS[REMINDER_TYPES.indexOf(type)]! };
  const tails = markup`${renderDelay(due.x, edge, due.y)}${renderDelay(LABELS, next.x, next.y)}`;
  return markup`<g>${title}${tails}${renderDueTimeSymbol(type, due)}${renderReminderSymbol(type, 'DEFERRED', next)}</g>`;
}

function renderDelay(from: number, to: number, y: number): Markup {
  return markup`<path class="tail" d="M${from} ${y}H${to}"/>`;
}

function daysBetween(from: Temporal.ZonedDateTime, to: Temporal.ZonedDateTime): number {
  return countDays(from.toPlainDate(), to) - countDays(from.toPlainDate(), from);
}

function renderClockChange(
  { at, timeZone, from, to }: ClockChangeEvent,
  first: Temporal.PlainDate,
  top: number,
): Markup {
  const x = LABELS + countDays(first, at) * DAY;
  const isRight = x > LABELS + 6 * DAY;
  const anchor = isRight ? 'end' : 'start';
  const place = at.timeZoneId === timeZone ? '' : `${timeZone.split('/').at(-1)!.replaceAll('_', ' ')} `;
  return markup`<g><title>${timeZone}: clocks go from ${from} to ${to} on ${formatDay(at)} at ${formatTime(at)}</title>
<path class="clock" d="M${x} ${top - 2}v${ROW + 4}"/>
<text class="clock-label" text-anchor="${anchor}" x="${x + (isRight ? -5 : 5)}" y="${top + ROW - 6}">${place}${from} → ${to}</text></g>`;
}
