import { useText } from '../../text/text.js';
import { Icon } from '../../ui/index.js';
import type { DraftReminder } from '../draft/draft.js';
import { planEditorText } from '../plan-editor.text.js';

export const PLAN_WEEK_DAYS = [1, 2, 3, 4, 5, 6, 7] as const;

/** Shows the seven days of a plan week. Days with a reminder are marked, and the times are listed as text. */
export function WeekReminderOverview({ reminders }: { reminders: readonly DraftReminder[] }) {
  const text = useText(planEditorText);
  const times = Map.groupBy(reminders, ({ time }) => time);
  if (reminders.length === 0) return <span class="plan-editor-strip-none quiet small">{text.noReminders}</span>;
  return (
    <span class="plan-editor-strip">
      <span class="plan-editor-strip-days" aria-hidden="true">
        {PLAN_WEEK_DAYS.map((day) => {
          const count = reminders.filter((reminder) => reminder.day === day).length;
          return (
            <span key={day} class={`plan-editor-strip-day ${count > 0 ? 'plan-editor-strip-on' : ''}`}>
              {day}
            </span>
          );
        })}
      </span>
      <span class="plan-editor-strip-times small">
        <Icon name="bell" size={14} />
        <span>
          {[...times].map(([time, list]) => text.daysAt(list.map(({ day }) => day).join(', '), time)).join(' · ')}
        </span>
      </span>
    </span>
  );
}
