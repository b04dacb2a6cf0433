import type { styleText } from 'node:util';
import { formatDay, formatTime, formatWeek } from './format.js';
import { formatReminderResult, type ReminderResult } from './reminder-result.js';
import type { SimulationResult } from '../simulation.js';
import { formatSummary, type SimulationSummary } from './summary.js';
import { RECIPIENT_OF_REMINDER_TYPE } from './recipients.js';
import type { SimulationEvent, ReminderEvent, SessionEvent, SimulatedWeek } from './weekly-events.js';

type Format = Parameters<typeof styleText>[0];
/** Formats a text if the terminal supports formatting. */
type TerminalTextFormatter = (format: Format, text: string) => string;

const RESULT_STYLES: Readonly<Record<ReminderResult['kind'], { sign: string; format: Format; word: string }>> = {
  SENT: { sign: '●', format: 'green', word: 'sent' },
  DEFERRED: { sign: '◐', format: 'yellow', word: 'deferred' },
  WITHDRAWN: { sign: '○', format: 'dim', word: 'withdrawn' },
  NOT_SENT: { sign: '×', format: 'red', word: 'not sent' },
};

/** Renders all weeks and the summary as text. */
export function renderTerminalReport(
  simulation: SimulationResult,
  weeks: readonly SimulatedWeek[],
  summary: SimulationSummary,
  paint: TerminalTextFormatter,
): string {
  const { planName, client, careProvider, options, planned } = simulation;
  const quiet = options.quietHours
    ? `quiet from ${options.quietHours.from} to ${options.quietHours.to}`
    : 'no quiet hours';
  return [
    paint('bold', replaceControlCharacters(planName)),
    `${client.name} in ${client.timeZone}, with Care Provider ${careProvider.id}; ${quiet}. Times are local to the Client.`,
    ...weeks.flatMap((week) => [
      '',
      formatWeekHeading(week, paint),
      ...week.events.map((event) => formatEvent(event, paint)),
    ]),
    '',
    ...planned.warnings.map(({ position, detail }) =>
      paint('yellow', `! ${position === undefined ? '' : `Session ${position}: `}${detail}`),
    ),
    ...summary.inconsistencies.map((fault) => paint('red', `✗ ${fault}`)),
    paint('bold', formatSummary(summary)),
    '',
  ].join('\n');
}

function formatWeekHeading({ label, first }: SimulatedWeek, paint: TerminalTextFormatter): string {
  return `${paint('bold', label)} ${paint('dim', `· ${formatWeek(first)} ${first.year}`)}`;
}

function formatEvent(event: SimulationEvent, paint: TerminalTextFormatter): string {
  const when = `${formatDay(event.at).padEnd(11)} ${formatTime(event.at)}`;
  switch (event.kind) {
    case 'SESSION':
      return formatSession(event, when, paint);
    case 'REMINDER':
      return formatReminder(event, when, paint);
    case 'HOMEWORK_DONE':
      return `  ${when}  ${paint('cyan', '✓')} ${event.book}: done`;
    case 'CLOCK_CHANGE':
      return paint('magenta', `  ${when}  ↷ ${event.timeZone}: clocks go from ${event.from} to ${event.to}`);
  }
}

function formatSession({ at, session, books }: SessionEvent, when: string, paint: TerminalTextFormatter): string {
  const there = Temporal.Instant.from(session.startsAt).toZonedDateTimeISO(session.timeZone);
  const elsewhere =
    at.timeZoneId === session.timeZone ? '' : ` (${formatTime(there)} ${there.offset} ${session.timeZone})`;
  const status = session.status === 'COMPLETED' ? '' : `, ${session.status.toLowerCase()}`;
  const homework = books.length > 0 ? paint('dim', ` · homework: ${books.join(', ')}`) : '';
  const title = paint(
    ['bold', 'blue'],
    `■ Session ${session.position}: ${replaceControlCharacters(session.title)}${status}`,
  );
  return `  ${when}  ${title} ${at.offset}${elsewhere}${homework}`;
}

function formatReminder(
  { at, type, subject, result }: ReminderEvent,
  when: string,
  paint: TerminalTextFormatter,
): string {
  const { sign, format, word } = RESULT_STYLES[result.kind];
  const sent = paint(format, `${sign} ${word.padEnd(9)}`);
  return `  ${when}  ${sent} ${RECIPIENT_OF_REMINDER_TYPE[type].padEnd(13)} ${subject.padEnd(20)} ${paint('dim', formatReminderResult(result, at))}`.trimEnd();
}

/** Replaces control characters, which could manipulate the terminal. */
function replaceControlCharacters(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}
