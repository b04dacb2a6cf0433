import { formatDay, formatTime, formatWeek } from '../report/format.js';
import { formatResult } from '../report/reminder-result.js';
import { RECIPIENT_NAMES } from '../report/recipients.js';
import type { SimulationEvent, ReminderEvent, SimulatedWeek } from '../report/weekly-events.js';
import { RESULT_NAMES } from './symbols.js';
import { markup, type Markup } from './markup.js';

/** Everything that the picture shows, in words and in the order of time. */
export function renderTable(weeks: readonly SimulatedWeek[], timeZone: string): Markup {
  return markup`<table>
<caption>Every Session, reminder and Book, at the local time of the Client (${timeZone})</caption>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">For</th><th scope="col">What became of it</th></tr></thead>
${weeks.map(renderWeekRows)}
</table>`;
}

function renderWeekRows({ label, first, events }: SimulatedWeek): Markup {
  return markup`<tbody>
<tr class="group"><th scope="rowgroup" colspan="4">${label} <span>${formatWeek(first)} ${first.year}</span></th></tr>
${events.map(renderRow)}
</tbody>`;
}

function renderRow(entry: SimulationEvent): Markup {
  const when = markup`<th scope="row"><span>${formatDay(entry.at)}</span> ${formatTime(entry.at)}</th>`;
  switch (entry.kind) {
    case 'SESSION': {
      const { session, books, at } = entry;
      const homework = books.length === 0 ? '' : `Homework: ${books.join(', ')}`;
      return markup`<tr class="session-row">${when}<td>Session ${session.position}: ${session.title}</td><td>Both</td><td>${toSentenceStart(session.status.toLowerCase())}, UTC${at.offset}. ${homework}</td></tr>`;
    }
    case 'REMINDER':
      return renderReminderRow(entry, when);
    case 'HOMEWORK_DONE':
      return markup`<tr>${when}<td>${entry.book}</td><td>Client</td><td><b class="tag done-tag">Done</b></td></tr>`;
    case 'CLOCK_CHANGE':
      return markup`<tr class="clock-row">${when}<td>${entry.timeZone}</td><td>Everybody there</td><td>The clocks go from ${entry.from} to ${entry.to}</td></tr>`;
  }
}

function renderReminderRow({ at, type, subject, result }: ReminderEvent, when: Markup): Markup {
  const { kind } = result;
  const name = markup`<b class="tag ${kind.toLowerCase()}-tag">${RESULT_NAMES[kind]}</b>`;
  return markup`<tr>${when}<td>Reminder: ${subject}</td><td>${RECIPIENT_NAMES[type]}</td><td>${name} ${formatResult(result, at)}</td></tr>`;
}

function toSentenceStart(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace('_', '-');
}
