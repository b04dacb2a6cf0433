import { dayOf, timeOf, weekOf } from '../report/format.js';
import { explained } from '../report/reminder-result.js';
import { RECIPIENTS } from '../report/recipients.js';
import type { Entry, ReminderEntry, Week } from '../report/weekly-events.js';
import { OUTCOME_NAMES } from './symbols.js';
import { markup, type Markup } from './markup.js';

/** Everything that the picture shows, in words and in the order of time. */
export function renderTable(weeks: readonly Week[], timeZone: string): Markup {
  return markup`<table>
<caption>Every Session, reminder and Book, at the local time of the Client (${timeZone})</caption>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">For</th><th scope="col">What became of it</th></tr></thead>
${weeks.map(group)}
</table>`;
}

function group({ label, first, entries }: Week): Markup {
  return markup`<tbody>
<tr class="group"><th scope="rowgroup" colspan="4">${label} <span>${weekOf(first)} ${first.year}</span></th></tr>
${entries.map(row)}
</tbody>`;
}

function row(entry: Entry): Markup {
  const when = markup`<th scope="row"><span>${dayOf(entry.at)}</span> ${timeOf(entry.at)}</th>`;
  switch (entry.what) {
    case 'SESSION': {
      const { session, books, at } = entry;
      const homework = books.length === 0 ? '' : `Homework: ${books.join(', ')}`;
      return markup`<tr class="session-row">${when}<td>Session ${session.position}: ${session.title}</td><td>Both</td><td>${sentence(session.status.toLowerCase())}, UTC${at.offset}. ${homework}</td></tr>`;
    }
    case 'REMINDER':
      return reminderRow(entry, when);
    case 'HOMEWORK_DONE':
      return markup`<tr>${when}<td>${entry.book}</td><td>Client</td><td><b class="tag done-tag">Done</b></td></tr>`;
    case 'CLOCK_CHANGE':
      return markup`<tr class="clock-row">${when}<td>${entry.timeZone}</td><td>Everybody there</td><td>The clocks go from ${entry.from} to ${entry.to}</td></tr>`;
  }
}

function reminderRow({ at, lane, about, outcome }: ReminderEntry, when: Markup): Markup {
  const { what } = outcome;
  const name = markup`<b class="tag ${what.toLowerCase()}-tag">${OUTCOME_NAMES[what]}</b>`;
  return markup`<tr>${when}<td>Reminder: ${about}</td><td>${RECIPIENTS[lane]}</td><td>${name} ${explained(outcome, at)}</td></tr>`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace('_', '-');
}
