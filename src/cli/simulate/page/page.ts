import type { SessionModel } from '../../../session/index.js';
import { counted, dayOf } from '../report/format.js';
import { OUTCOMES } from '../report/reminder-result.js';
import type { Simulation } from '../simulation.js';
import type { Summary } from '../report/summary.js';
import { LANES, type Week } from '../report/weekly-events.js';
import { doneMark, dueMark, LANE_NAMES, OUTCOME_NAMES, reminderMark, sessionMark } from './symbols.js';
import { markup, Markup } from './markup.js';
import { renderPicture } from './chart.js';
import { STYLE } from './style.js';
import { renderTable } from './table.js';

/** One self-contained page: nothing is loaded, nothing is run. */
export function renderPage(simulation: Simulation, weeks: readonly Week[], summary: Summary): string {
  const { planName, client } = simulation;
  const title = `${planName}: ${counted(simulation.sessions.length, 'Session')} of ${client.name}`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${planName}, simulated</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
<h1>${planName}</h1>
<p class="lead">${leadOf(simulation)}</p>
${tiles(summary)}
${notes('faults', summary.unaccounted)}
${notes('warnings', warningsOf(simulation))}
<section aria-labelledby="weeks"><h2 id="weeks">The weeks</h2>
${legend(simulation, weeks)}
<figure><div class="scroll" tabindex="0" role="region" aria-label="Picture of the weeks">${renderPicture(simulation, weeks, title)}</div></figure>
</section>
<section aria-labelledby="all"><h2 id="all">All that has happened</h2>
<div class="scroll">${renderTable(weeks, client.timeZone)}</div>
</section>
<footer><p>Played by the service itself on a database in memory, with a clock that ran through the weeks. Nobody was reminded.</p></footer>
</main>
</body>
</html>
`.text;
}

function leadOf({ client, careProvider, sessions, options }: Simulation): string {
  const [first, last] = [sessions[0]!, sessions.at(-1)!];
  const { quietHours, homeworkDone } = options;
  const day = ({ startsAt, timeZone }: SessionModel) => {
    const local = Temporal.Instant.from(startsAt).toZonedDateTimeISO(timeZone);
    return `${dayOf(local)} ${local.year}`;
  };
  const elsewhere = first.timeZone === client.timeZone ? '' : ` in ${first.timeZone}`;
  const quiet = quietHours ? `Quiet hours from ${quietHours.from} to ${quietHours.to}.` : 'No quiet hours.';
  return (
    `${client.name} (${client.timeZone}) with Care Provider ${careProvider.id}, ${day(first)} to ${day(last)} at ` +
    `${first.time}${elsewhere}. ${quiet} The Client does ${Math.round(homeworkDone * 100)}% of the homework.`
  );
}

function tiles(summary: Summary): Markup {
  const { sessions, reminders, sent, deferred, withdrawn, notSent, messages, homework, homeworkDone } = summary;
  const all: [string, string | number][] = [
    ['Sessions', sessions],
    ['Books done', `${homeworkDone}/${homework}`],
    ['reminders planned', reminders],
    [`sent, in ${counted(messages, 'message')}`, sent],
    ['of them deferred', deferred],
    ['withdrawn', withdrawn],
    ...(notSent > 0 ? [['not sent', notSent] as [string, number]] : []),
  ];
  return markup`<dl>${all.map(([name, count]) => markup`<div><dt>${name}</dt><dd>${count}</dd></div>`)}</dl>`;
}

function warningsOf({ planned }: Simulation): string[] {
  return planned.warnings.map(({ position, detail }) =>
    position === undefined ? detail : `Session ${position}: ${detail}`,
  );
}

function notes(kind: 'warnings' | 'faults', texts: readonly string[]): Markup {
  if (texts.length === 0) return markup``;
  return markup`<section class="${kind}">${texts.map((text) => markup`<p>${text}</p>`)}</section>`;
}

function legend({ options, sessions }: Simulation, weeks: readonly Week[]): Markup {
  const entries = weeks.flatMap((week) => week.entries);
  const outcomes = new Set(entries.flatMap((entry) => (entry.what === 'REMINDER' ? [entry.outcome.what] : [])));
  const isCancelled = sessions.some(({ status }) => status === 'CANCELLED');
  const middle = { x: 9, y: 9 };
  const has = (what: string) => entries.some((entry) => entry.what === what);
  const items: [Markup | false, string][] = [
    [sessionMark(6, 1, 6, 16, false), 'Session'],
    [isCancelled && sessionMark(6, 1, 6, 16, true), 'Session cancelled'],
    ...LANES.map((lane): [Markup, string] => [reminderMark(lane, 'SENT', middle), `Reminds the ${LANE_NAMES[lane]}`]),
    ...OUTCOMES.filter((what) => what !== 'SENT' && outcomes.has(what)).map((what): [Markup, string] => [
      what === 'DEFERRED' ? deferredSample() : reminderMark('CLIENT_SESSION', what, middle),
      OUTCOME_NAMES[what],
    ]),
    [has('HOMEWORK_DONE') && doneMark(middle), 'Book done'],
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
          markup`<li><svg width="${name === OUTCOME_NAMES.DEFERRED ? 38 : 18}" height="18" aria-hidden="true">${sample}</svg>${name}</li>`,
        ],
  )}</ul>`;
}

function deferredSample(): Markup {
  return markup`<path class="tail" d="M7 9H30"/>${dueMark('CLIENT_SESSION', { x: 7, y: 9 })}${reminderMark('CLIENT_SESSION', 'DEFERRED', { x: 31, y: 9 })}`;
}
