import type { Week } from '@care-scheduling/client';
import { useRef, useState } from 'preact/hooks';
import { appearance } from '../app/appearance.js';
import { useStore } from '../app/store.js';
import { useText } from '../text/text.js';
import {
  Button,
  Field,
  type ControlAttributes,
  formatRange,
  formatZone,
  IconButton,
  SegmentedControl,
} from '../ui/index.js';
import { addDaysToIsoDate, parseDateToMonday } from './week-days.js';
import { weekText } from './week.text.js';

export type WeekView = 'calendar' | 'list';

type ToolbarProps = {
  week: Week | undefined;
  /** The first day of the selected week, yyyy-MM-dd, also while `week` is still the previous one. */
  monday: string | undefined;
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
export function WeekToolbar({ week, monday, view, hasViews, onWeek, onView }: ToolbarProps) {
  const text = useText(weekText);
  const { language } = useStore(appearance);
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
            {(control) => <WeekField control={control} monday={monday} onWeek={onWeek} />}
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

type WeekFieldProps = { control: ControlAttributes; monday: string | undefined; onWeek: (monday: string) => void };

/**
 * Shows the week of a date. A typed date is shown on Enter or when the field loses the focus, because the browser
 * reports a change for each digit that makes a valid date. A date that is chosen with the pointer is shown immediately.
 */
function WeekField({ control, monday, onWeek }: WeekFieldProps) {
  const [draft, setDraft] = useState<string>();
  const isTyping = useRef(false);
  const show = (date: string) => {
    const next = parseDateToMonday(date);
    setDraft(undefined);
    if (next !== undefined && next !== monday) onWeek(next);
  };
  return (
    <input
      {...control}
      class="control"
      type="date"
      value={draft ?? monday ?? ''}
      onKeyDown={({ key, currentTarget }) => {
        isTyping.current = true;
        if (key === 'Enter') show(currentTarget.value);
      }}
      onPointerDown={() => {
        isTyping.current = false;
      }}
      onChange={({ currentTarget }) => (isTyping.current ? setDraft(currentTarget.value) : show(currentTarget.value))}
      onBlur={({ currentTarget }) => draft !== undefined && show(currentTarget.value)}
    />
  );
}
