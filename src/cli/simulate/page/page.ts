import type { SessionModel } from '../../../session/index.js';
import { formatCount, formatDay } from '../report/format.js';
import { REMINDER_RESULT_KINDS } from '../report/reminder-result.js';
import type { SimulationResult } from '../simulation.js';
import type { SimulationSummary } from '../report/summary.js';
import { REMINDER_TYPES, type SimulatedWeek } from '../report/weekly-events.js';
import {
  renderCompletionSymbol,
  renderDueTimeSymbol,
  REMINDER_TYPE_NAMES,
  REMINDER_RESULT_NAMES,
  renderReminderSymbol,
  renderSessionSymbol,
} from './symbols.js';
import { markup, Markup } from './markup.js';
import { renderWeekChart } from './chart.js';
import { PAGE_STYLE_SHEET } from './style.js';
import { renderEventTable } from './table.js';

/** Renders a self-contained page without scripts. */
export function renderSimulationPage(
  simulation: SimulationResult,
  weeks: readonly SimulatedWeek[],
  summary: SimulationSummary,
): string {
  const { planName, client } = simulation;
  const title = `${planName}: ${formatCount(simulation.sessions.length, 'Session')} of ${client.name}`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${planName}, simulated</title>
<style>${new Markup(PAGE_STYLE_SHEET)}</style>
</head>
<body>
<main>
<h1>${planName}</h1>
<p class="lead">${renderLead(simulation)}</p>
${renderFigures(summary)}
${renderNotes('faults', summary.inconsistencies)}
${renderNotes('warnings', listWarnings(simulation))}
<section aria-labelledby="weeks"><h2 id="weeks">The weeks</h2>
${renderLegend(simulation, weeks)}
<figure><div class="scroll" tabindex="0" role="region" aria-label="Chart of the weeks">${renderWeekChart(simulation, weeks, title)}</div></figure>
</section>
<section aria-labelledby="all"><h2 id="all">All events</h2>
<div class="scroll">${renderEventTable(weeks, client.timeZone)}</div>
</section>
<footer><p>Simulated by the service on a database in memory, with a simulated clock. No message was sent.</p></footer>
</main>
</body>
</html>
`.text;
}

function renderLead({ client, careProvider, sessions, options }: SimulationResult): string {
  const [first, last] = [sessions[0]!, sessions.at(-1)!];
  const { quietHours, homeworkDone } = options;
  const day = ({ startsAt, timeZone }: SessionModel) => {
    const local = Temporal.Instant.from(startsAt).toZonedDateTimeISO(timeZone);
    return `${formatDay(local)} ${local.year}`;
  };
  const elsewhere = first.timeZone === client.timeZone ? '' : ` in ${first.timeZone}`;
  const quiet = quietHours ? `Quiet hours from ${quietHours.from} to ${quietHours.to}.` : 'No quiet hours.';
  return (
    `${client.name} (${client.timeZone}) with Care Provider ${careProvider.id}, ${day(first)} to ${day(last)} at ` +
    `${first.time}${elsewhere}. ${quiet} The Client does ${Math.round(homeworkDone * 100)}% of the homework.`
  );
}

function renderFigures(summary: SimulationSummary): Markup {
  const { sessions, reminders, sent, deferred, withdrawn, notSent, messages, homework, homeworkDone } = summary;
  const all: [string, string | number][] = [
    ['Sessions', sessions],
    ['Books done', `${homeworkDone}/${homework}`],
    ['reminders planned', reminders],
    [`sent, in ${formatCount(messages, 'message')}`, sent],
    ['of them deferred', deferred],
    ['withdrawn', withdrawn],
    ...(notSent > 0 ? [['not sent', notSent] as [string, number]] : []),
  ];
  return markup`<dl>${all.map(([name, count]) => markup`<div><dt>${name}</dt><dd>${count}</dd></div>`)}</dl>`;
}

function listWarnings({ planned }: SimulationResult): string[] {
  return planned.warnings.map(({ position, detail }) =>
    position === undefined ? detail : `Session ${position}: ${detail}`,
  );
}

function renderNotes(kind: 'warnings' | 'faults', texts: readonly string[]): Markup {
  if (texts.length === 0) return markup``;
  return markup`<section class="${kind}">${texts.map((text) => markup`<p>${text}</p>`)}</section>`;
}

function renderLegend({ options, sessions }: SimulationResult, weeks: readonly SimulatedWeek[]): Markup {
  const events = weeks.flatMap((week) => week.events);
  const results = new Set(events.flatMap((event) => (event.kind === 'REMINDER' ? [event.result.kind] : [])));
  const isCancelled = sessions.some(({ status }) => status === 'CANCELLED');
  const middle = { x: 9, y: 9 };
  const has = (kind: string) => events.some((event) => event.kind === kind);
  const items: [Markup | false, string][] = [
    [renderSessionSymbol(6, 1, 6, 16, false), 'Session'],
    [isCancelled && renderSessionSymbol(6, 1, 6, 16, true), 'Session cancelled'],
    ...REMINDER_TYPES.map((type): [Markup, string] => [
      renderReminderSymbol(type, 'SENT', middle),
      `Reminds the ${REMINDER_TYPE_NAMES[type]}`,
    ]),
    ...REMINDER_RESULT_KINDS.filter((kind) => kind !== 'SENT' && results.has(kind)).map((kind): [Markup, string] => [
      kind === 'DEFERRED' ? renderDeferredSample() : renderReminderSymbol('CLIENT_SESSION', kind, middle),
      REMINDER_RESULT_NAMES[kind],
    ]),
    [has('HOMEWORK_DONE') && renderCompletionSymbol(middle), 'Book done'],
    [
      options.quietHours !== null && markup`<rect class="quiet" width="18" height="18" rx="3"/>`,
      'Quiet hours of the Client',
    ],
    [has('CLOCK_CHANGE') && markup`<path class="clock" d="M9 0v18"/>`, 'The clocks change'],
  ];
  return markup`<ul>${items.flatMap(([sample, name]) =>
    sample === false
      ? []
      : [
          markup`<li><svg width="${name === REMINDER_RESULT_NAMES.DEFERRED ? 38 : 18}" height="18" aria-hidden="true">${sample}</svg>${name}</li>`,
        ],
  )}</ul>`;
}

function renderDeferredSample(): Markup {
  return markup`<path class="tail" d="M7 9H30"/>${renderDueTimeSymbol('CLIENT_SESSION', { x: 7, y: 9 })}${renderReminderSymbol('CLIENT_SESSION', 'DEFERRED', { x: 31, y: 9 })}`;
}
