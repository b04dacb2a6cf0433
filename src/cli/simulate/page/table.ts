import { formatDay, formatTime, formatWeek } from '../report/format.js';
import { formatReminderResult } from '../report/reminder-result.js';
import { RECIPIENT_OF_REMINDER_TYPE } from '../report/recipients.js';
import type { SimulationEvent, ReminderEvent, SimulatedWeek } from '../report/weekly-events.js';
import { REMINDER_RESULT_NAMES } from './symbols.js';
import { markup, type Markup } from './markup.js';

/** Renders the events of the chart as a table, sorted by time. */
export function renderEventTable(weeks: readonly SimulatedWeek[], timeZone: string): Markup {
  return markup`<table>
<caption>Every Session, reminder and Book, at the local time of the Client (${timeZone})</caption>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">For</th><th scope="col">Result</th></tr></thead>
${weeks.map(renderWeekRows)}
</table>`;
}

function renderWeekRows({ label, first, events }: SimulatedWeek): Markup {
  return markup`<tbody>
<tr class="group"><th scope="rowgroup" colspan="4">${label} <span>${formatWeek(first)} ${first.year}</span></th></tr>
${events.map(renderRow)}
</tbody>`;
}

function renderRow(event: SimulationEvent): Markup {
  const when = markup`<th scope="row"><span>${formatDay(event.at)}</span> ${formatTime(event.at)}</th>`;
  switch (event.kind) {
    case 'SESSION': {
      const { session, books, at } = event;
      const homework = books.length === 0 ? '' : `Homework: ${books.join(', ')}`;
      return markup`<tr class="session-row">${when}<td>Session ${session.position}: ${session.title}</td><td>Both</td><td>${toSentenceStart(session.status.toLowerCase())}, UTC${at.offset}. ${homework}</td></tr>`;
    }
    case 'REMINDER':
      return renderReminderRow(event, when);
    case 'HOMEWORK_DONE':
      return markup`<tr>${when}<td>${event.book}</td><td>Client</td><td><b class="tag done-tag">Done</b></td></tr>`;
    case 'CLOCK_CHANGE':
      return markup`<tr class="clock-row">${when}<td>${event.timeZone}</td><td>All persons there</td><td>The clocks go from ${event.from} to ${event.to}</td></tr>`;
  }
}

function renderReminderRow({ at, type, subject, result }: ReminderEvent, when: Markup): Markup {
  const { kind } = result;
  const name = markup`<b class="tag ${kind.toLowerCase()}-tag">${REMINDER_RESULT_NAMES[kind]}</b>`;
  return markup`<tr>${when}<td>Reminder: ${subject}</td><td>${RECIPIENT_OF_REMINDER_TYPE[type]}</td><td>${name} ${formatReminderResult(result, at)}</td></tr>`;
}

function toSentenceStart(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace('_', '-');
}
