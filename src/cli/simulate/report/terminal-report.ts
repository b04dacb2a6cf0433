import type { styleText } from 'node:util';
import { dayOf, timeOf, weekOf } from './format.js';
import { explained, type Outcome } from './reminder-result.js';
import type { Simulation } from '../simulation.js';
import { summaryLine, type Summary } from './summary.js';
import { RECIPIENTS } from './recipients.js';
import type { Entry, ReminderEntry, SessionEntry, Week } from './weekly-events.js';

type Format = Parameters<typeof styleText>[0];
/** Puts colour on a text, or leaves it where the terminal shows none. */
export type Paint = (format: Format, text: string) => string;

const MARKS: Readonly<Record<Outcome['what'], { sign: string; format: Format; word: string }>> = {
  SENT: { sign: '●', format: 'green', word: 'sent' },
  DEFERRED: { sign: '◐', format: 'yellow', word: 'deferred' },
  WITHDRAWN: { sign: '○', format: 'dim', word: 'withdrawn' },
  NOT_SENT: { sign: '×', format: 'red', word: 'not sent' },
};

/** The whole timeline as text. */
export function renderText(simulation: Simulation, weeks: readonly Week[], summary: Summary, paint: Paint): string {
  const { planName, client, careProvider, options, planned } = simulation;
  const quiet = options.quietHours
    ? `quiet from ${options.quietHours.from} to ${options.quietHours.to}`
    : 'no quiet hours';
  return [
    paint('bold', printable(planName)),
    `${client.name} in ${client.timeZone}, with Care Provider ${careProvider.id}; ${quiet}. Times are the Client's.`,
    ...weeks.flatMap((week) => ['', weekHeading(week, paint), ...week.entries.map((entry) => line(entry, paint))]),
    '',
    ...planned.warnings.map(({ position, detail }) =>
      paint('yellow', `! ${position === undefined ? '' : `Session ${position}: `}${detail}`),
    ),
    ...summary.unaccounted.map((fault) => paint('red', `✗ ${fault}`)),
    paint('bold', summaryLine(summary)),
    '',
  ].join('\n');
}

function weekHeading({ label, first }: Week, paint: Paint): string {
  return `${paint('bold', label)} ${paint('dim', `· ${weekOf(first)} ${first.year}`)}`;
}

function line(entry: Entry, paint: Paint): string {
  const when = `${dayOf(entry.at).padEnd(11)} ${timeOf(entry.at)}`;
  switch (entry.what) {
    case 'SESSION':
      return sessionLine(entry, when, paint);
    case 'REMINDER':
      return reminderLine(entry, when, paint);
    case 'HOMEWORK_DONE':
      return `  ${when}  ${paint('cyan', '✓')} ${entry.book}: done`;
    case 'CLOCK_CHANGE':
      return paint('magenta', `  ${when}  ↷ ${entry.timeZone}: clocks go from ${entry.from} to ${entry.to}`);
  }
}

function sessionLine({ at, session, books }: SessionEntry, when: string, paint: Paint): string {
  const there = Temporal.Instant.from(session.startsAt).toZonedDateTimeISO(session.timeZone);
  const elsewhere = at.timeZoneId === session.timeZone ? '' : ` (${timeOf(there)} ${there.offset} ${session.timeZone})`;
  const status = session.status === 'COMPLETED' ? '' : `, ${session.status.toLowerCase()}`;
  const homework = books.length > 0 ? paint('dim', ` · homework: ${books.join(', ')}`) : '';
  const title = paint(['bold', 'blue'], `■ Session ${session.position}: ${printable(session.title)}${status}`);
  return `  ${when}  ${title} ${at.offset}${elsewhere}${homework}`;
}

function reminderLine({ at, lane, about, outcome }: ReminderEntry, when: string, paint: Paint): string {
  const { sign, format, word } = MARKS[outcome.what];
  const sent = paint(format, `${sign} ${word.padEnd(9)}`);
  return `  ${when}  ${sent} ${RECIPIENTS[lane].padEnd(13)} ${about.padEnd(20)} ${paint('dim', explained(outcome, at))}`.trimEnd();
}

/** Without control characters, which could do anything to a terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}
