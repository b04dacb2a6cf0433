import type { Week } from '@care-scheduling/client';
import { appearance } from '../app/appearance.js';
import { useStore } from '../app/store.js';
import { useText } from '../text/text.js';
import { formatDate, Notice } from '../ui/index.js';
import { listClockChanges } from './week-days.js';
import { weekText } from './week.text.js';

/** Shows one sentence for each day of the week on which the clocks change. */
export function ClockChangeNotices({ week }: { week: Week }) {
  const text = useText(weekText);
  const { language } = useStore(appearance);
  return (
    <>
      {listClockChanges(week).map(({ date, minutesForward }) => {
        const day = formatDate(date, 'longDate', language);
        const minutes = Math.abs(minutesForward);
        const amount = minutes % 60 === 0 ? text.hours(minutes / 60) : text.minutes(minutes);
        return (
          <Notice key={date} tone="attention" title={text.clockChange}>
            <p>{minutesForward > 0 ? text.forward(day, amount) : text.back(day, amount)}</p>
          </Notice>
        );
      })}
    </>
  );
}
