import type { Week } from '@care-scheduling/client';
import { memo } from 'preact/compat';
import { appearance } from '../app/appearance.js';
import { useStore } from '../app/store.js';
import { useText } from '../text/text.js';
import { formatDate } from '../ui/index.js';
import { weekText } from './week.text.js';

/** The printed form of the week: a table without colours. It is not visible on the screen. */
export const WeekPrint = memo(({ week, chosenNames }: { week: Week; chosenNames: string }) => {
  const { language } = useStore(appearance);
  const text = useText(weekText);
  return (
    <table class="week-print">
      {chosenNames !== '' && (
        <caption>
          {text.people}: {chosenNames}
        </caption>
      )}
      <thead>
        <tr>
          {[text.day, text.time, text.client, text.session, text.provider, text.homework, text.status].map((header) => (
            <th key={header} scope="col">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {week.sessions.map(({ id, localStart, localEnd, client, title, careProvider, progress, status, conflicts }) => (
          <tr key={id} class={status === 'CANCELLED' ? 'week-print-cancelled' : undefined}>
            <td>{formatDate(localStart.date, 'date', language)}</td>
            <td class="numeric">
              {localStart.time}–{localEnd.time}
            </td>
            <td>{client.name}</td>
            <td>{title}</td>
            <td>{careProvider.name}</td>
            <td>{progress.total > 0 && text.progress(progress.done, progress.total)}</td>
            <td>{[text.statuses[status], ...(conflicts.length > 0 ? [text.overlap] : [])].join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
});
