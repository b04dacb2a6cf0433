import type { Week } from '@care-scheduling/client';
import { appearance } from '../app/appearance.js';
import { useStore } from '../app/store.js';
import { useText } from '../text/text.js';
import { Button, Field, formatRange, formatZone, IconButton, SegmentedControl } from '../ui/index.js';
import { addDaysToIsoDate, parseDateToMonday } from './week-days.js';
import { weekText } from './week.text.js';

export type WeekView = 'calendar' | 'list';

type ToolbarProps = {
  week: Week | undefined;
  view: WeekView;
  /** False on narrow screens, where the week is always shown as a list. */
  hasViews: boolean;
  /**
   * Shows another week.
   *
   * @param monday the first day of the week; undefined for the current week
   */
  onWeek: (monday: string | undefined) => void;
  onView: (view: WeekView) => void;
};

/** Shows which week is displayed, with buttons that switch weeks and views. */
export function WeekToolbar({ week, view, hasViews, onWeek, onView }: ToolbarProps) {
  const text = useText(weekText);
  const { language } = useStore(appearance);
  const monday = week?.days[0]!.date.replaceAll('/', '-');
  const go = (days: number) => monday !== undefined && onWeek(addDaysToIsoDate(monday, days));
  return (
    <div class="week-toolbar">
      <div class="week-range" role="status">
        <h2>
          {week === undefined
            ? '…'
            : formatRange(week.days[0]!.startsAt, week.days.at(-1)!.startsAt, week.timeZone, 'dayMonthYear', language)}
        </h2>
        {week === undefined ? (
          <p class="small quiet" aria-hidden="true">
            &nbsp;
          </p>
        ) : (
          <p class="small quiet">
            {text.count(week.sessions.length)} ·{' '}
            <span title={week.timeZone}>{text.zone(formatZone(week.timeZone))}</span>
          </p>
        )}
      </div>
      <div class="week-controls no-print">
        <div class="week-steps">
          <IconButton icon="start" label={text.previous} onClick={() => go(-7)} />
          <Button onClick={() => onWeek(undefined)}>{text.today}</Button>
          <IconButton icon="arrow" label={text.next} onClick={() => go(7)} />
        </div>
        <div class="week-jump">
          <Field label={text.jump} isRequired>
            {(control) => (
              <input
                {...control}
                class="control"
                type="date"
                value={monday ?? ''}
                onChange={({ currentTarget }) => {
                  const next = parseDateToMonday(currentTarget.value);
                  if (next !== undefined) onWeek(next);
                }}
              />
            )}
          </Field>
        </div>
        {hasViews && (
          <SegmentedControl
            label={text.views}
            value={view}
            options={(['calendar', 'list'] as const).map((value) => ({ value, label: text.view[value] }))}
            onChange={onView}
          />
        )}
        <Button icon="print" onClick={() => window.print()}>
          {text.print}
        </Button>
      </div>
    </div>
  );
}
