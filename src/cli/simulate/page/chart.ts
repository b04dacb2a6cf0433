import { dayAndTime, dayOf, timeOf, weekdayOf, weekOf } from '../report/format.js';
import { explained } from '../report/reminder-result.js';
import type { Simulation } from '../simulation.js';
import {
  LANES,
  type ClockChangeEntry,
  type ReminderEntry,
  type SessionEntry,
  type Week,
} from '../report/weekly-events.js';
import { doneMark, dueMark, LANE_NAMES, OUTCOME_NAMES, reminderMark, sessionMark } from './symbols.js';
import { markup, type Markup } from './markup.js';

const LABELS = 112;
const DAY = 154;
const WIDTH = LABELS + 7 * DAY + 1;
const HEADER = 30;
const ROW = 72;
const GAP = 7;
/** Heights of the lanes within a row: Client's Sessions, Client's homework, Care Provider, Books done. */
const LANE_HEIGHTS = [14, 32, 60, 46] as const;
const DONE_LANE = 3;
/** Marks that would hide each other stand a little above and below. */
const NUDGES = [0, -7, 7] as const;
const MINUTES_OF_DAY = 24 * 60;
const NARROWEST_SESSION = 7;

/** A row for each week, the hours of its seven days across, on the Client's wall clock. */
export function renderPicture(simulation: Simulation, weeks: readonly Week[], title: string): Markup {
  const height = HEADER + weeks.length * (ROW + GAP);
  const rows = weeks.map((week, index) => weekRow(week, weeks[index + 1], HEADER + index * (ROW + GAP), simulation));
  const description = `One row for each of ${weeks.length} weeks, seven days across. The table below tells the same in words.`;
  return markup`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="picture-title picture-description">
<title id="picture-title">${title}</title><desc id="picture-description">${description}</desc>
${weeks.slice(0, 1).map(({ first }) => weekdays(first))}
${rows}
</svg>`;
}

function weekdays(first: Temporal.PlainDate): Markup {
  const days = Array.from({ length: 7 }, (_, day) => {
    const x = LABELS + (day + 0.5) * DAY;
    return markup`<text class="weekday" x="${x}" y="18">${weekdayOf(first.add({ days: day }))}</text>`;
  });
  return markup`${days}`;
}

function weekRow(week: Week, next: Week | undefined, top: number, { options, client }: Simulation): Markup {
  const place = placer(week.first, top);
  const nights = options.quietHours ? quietHours(options.quietHours, top) : [];
  const behind = week.entries.flatMap((entry) => {
    if (entry.what === 'SESSION') return session(entry, week.first, top);
    return entry.what === 'CLOCK_CHANGE' ? clockChange(entry, week.first, top) : [];
  });
  const before = week.entries.flatMap((entry) => {
    if (entry.what === 'SESSION' || entry.what === 'CLOCK_CHANGE') return [];
    if (entry.what === 'REMINDER') return reminder(entry, place, next === undefined ? undefined : top + ROW + GAP);
    const spot = place(entry.at, DONE_LANE);
    return markup`<g><title>${entry.book} done, ${dayAndTime(entry.at)}</title>${doneMark(spot)}</g>`;
  });
  const offset = week.first.toZonedDateTime(client.timeZone).offset;
  return markup`<g>
<text class="week" x="0" y="${top + 31}">${week.label}</text>
<text class="dates" x="0" y="${top + 49}">${weekOf(week.first)}<title>UTC offset ${offset} at its beginning</title></text>
<rect class="row" x="${LABELS}" y="${top}" width="${7 * DAY}" height="${ROW}" rx="6"/>
${nights}
${[1, 2, 3, 4, 5, 6].map((day) => markup`<path class="midnight" d="M${LABELS + day * DAY} ${top}v${ROW}"/>`)}
${behind}
${before}
</g>`;
}

type Placer = (at: Temporal.ZonedDateTime, lane: number) => { x: number; y: number };

/** Tells where a moment stands in a lane of its row, out of the way of what stands there already. */
function placer(first: Temporal.PlainDate, top: number): Placer {
  const taken = LANE_HEIGHTS.map((): number[] => []);
  return (at, lane) => {
    const x = LABELS + daysSince(first, at) * DAY;
    const neighbours = taken[lane]!.filter((other) => Math.abs(other - x) < 11).length;
    taken[lane]!.push(x);
    return { x, y: top + LANE_HEIGHTS[lane]! + NUDGES[neighbours % NUDGES.length]! };
  };
}

/** By the wall clock: the days of a clock change are as wide as all others. */
function daysSince(first: Temporal.PlainDate, at: Temporal.ZonedDateTime): number {
  return first.until(at.toPlainDate(), { largestUnit: 'days' }).days + minutesOf(at) / MINUTES_OF_DAY;
}

function minutesOf({ hour, minute }: { hour: number; minute: number }): number {
  return hour * 60 + minute;
}

function quietHours({ from, to }: { from: string; to: string }, top: number): Markup[] {
  const [begin, end] = [from, to].map((time) => minutesOf(Temporal.PlainTime.from(time)) / MINUTES_OF_DAY) as [
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

function session({ at, session }: SessionEntry, first: Temporal.PlainDate, top: number): Markup {
  const x = LABELS + daysSince(first, at) * DAY;
  const width = Math.max((session.durationMinutes / MINUTES_OF_DAY) * DAY, NARROWEST_SESSION);
  const isCancelled = session.status === 'CANCELLED';
  const label = isCancelled ? 'cancelled' : `UTC${at.offset}`;
  return markup`<g><title>Session ${session.position}: ${session.title}, ${dayAndTime(at)} ${at.offset}, ${session.status.toLowerCase()}</title>
${sessionMark(x, top + 5, width, ROW - 10, isCancelled)}
<text class="time" x="${x + width + 5}" y="${top + 19}">${timeOf(at)} <tspan class="offset">${label}</tspan></text></g>`;
}

function reminder({ at, lane, about, outcome }: ReminderEntry, place: Placer, nextTop: number | undefined): Markup {
  const due = place(at, LANES.indexOf(lane));
  const title = markup`<title>${about} (${LANE_NAMES[lane]}), ${dayAndTime(at)}. ${OUTCOME_NAMES[outcome.what]} ${explained(outcome, at)}</title>`;
  if (outcome.what !== 'DEFERRED' || outcome.at === null) {
    return markup`<g>${title}${reminderMark(lane, outcome.what, due)}</g>`;
  }
  const sent = { x: due.x + daysBetween(at, outcome.at) * DAY, y: due.y };
  const edge = LABELS + 7 * DAY;
  const isNextWeek = sent.x > edge && nextTop !== undefined;
  if (!isNextWeek) {
    return markup`<g>${title}${tail(due.x, sent.x, due.y)}${dueMark(lane, due)}${reminderMark(lane, 'DEFERRED', sent)}</g>`;
  }
  const next = { x: sent.x - 7 * DAY, y: nextTop + LANE_HEIGHTS[LANES.indexOf(lane)]! };
  const tails = markup`${tail(due.x, edge, due.y)}${tail(LABELS, next.x, next.y)}`;
  return markup`<g>${title}${tails}${dueMark(lane, due)}${reminderMark(lane, 'DEFERRED', next)}</g>`;
}

function tail(from: number, to: number, y: number): Markup {
  return markup`<path class="tail" d="M${from} ${y}H${to}"/>`;
}

function daysBetween(from: Temporal.ZonedDateTime, to: Temporal.ZonedDateTime): number {
  return daysSince(from.toPlainDate(), to) - daysSince(from.toPlainDate(), from);
}

function clockChange({ at, timeZone, from, to }: ClockChangeEntry, first: Temporal.PlainDate, top: number): Markup {
  const x = LABELS + daysSince(first, at) * DAY;
  const isRight = x > LABELS + 6 * DAY;
  const anchor = isRight ? 'end' : 'start';
  const place = at.timeZoneId === timeZone ? '' : `${timeZone.split('/').at(-1)!.replaceAll('_', ' ')} `;
  return markup`<g><title>${timeZone}: clocks go from ${from} to ${to} on ${dayOf(at)} at ${timeOf(at)}</title>
<path class="clock" d="M${x} ${top - 2}v${ROW + 4}"/>
<text class="clock-label" text-anchor="${anchor}" x="${x + (isRight ? -5 : 5)}" y="${top + ROW - 6}">${place}${from} → ${to}</text></g>`;
}
