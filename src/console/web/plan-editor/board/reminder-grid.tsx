import { useState } from 'preact/hooks';
import { useText } from '../../text/text.js';
import { Button, Icon, IconButton, TextField } from '../../ui/index.js';
import type { DraftReminder } from '../draft/draft.js';
import { planEditorText } from '../plan-editor.text.js';
import { PLAN_WEEK_DAYS } from './week-reminder-overview.js';

type ReminderGridProps = {
  reminders: readonly DraftReminder[];
  onChange: (reminders: readonly DraftReminder[]) => void;
};

/** A grid with one row per time and one column per day. Each cell switches a reminder on or off. */
export function ReminderGrid({ reminders, onChange }: ReminderGridProps) {
  const text = useText(planEditorText);
  // A time that the user has changed stays in the grid, even after its last reminder has been switched off.
  const [kept, setKept] = useState<readonly string[]>([]);
  const times = [...new Set([...kept, ...reminders.map((one) => one.time)])].toSorted();
  const isOn = (day: number, at: string) => reminders.some((one) => one.day === day && one.time === at);
  const without = (day: number, at: string) => reminders.filter((one) => one.day !== day || one.time !== at);
  const toggle = (day: number, at: string) => {
    setKept([...new Set([...kept, at])]);
    onChange(isOn(day, at) ? without(day, at) : [...reminders, { day, time: at }]);
  };
  const everyDay = (at: string) =>
    onChange([...reminders.filter((one) => one.time !== at), ...PLAN_WEEK_DAYS.map((day) => ({ day, time: at }))]);
  const removeTime = (at: string) => {
    setKept(kept.filter((one) => one !== at));
    onChange(reminders.filter((one) => one.time !== at));
  };
  return (
    <>
      {times.length === 0 ? (
        <p class="quiet">{text.noTimes}</p>
      ) : (
        <table class="plan-editor-grid">
          <caption class="visually-hidden">{text.gridCaption}</caption>
          <thead>
            <tr>
              <th scope="col">{text.time}</th>
              {PLAN_WEEK_DAYS.map((day) => (
                <th key={day} scope="col">
                  <span class="plan-editor-grid-day">{text.day} </span>
                  {day}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {times.map((at) => (
              <tr key={at}>
                <th scope="row" class="numeric">
                  {at}
                </th>
                {PLAN_WEEK_DAYS.map((day) => (
                  <td key={day}>
                    <button
                      type="button"
                      class="plan-editor-cell"
                      aria-pressed={isOn(day, at)}
                      aria-label={text.dayTime(day, at)}
                      onClick={() => toggle(day, at)}
                    >
                      <Icon name="bell" size={16} />
                    </button>
                  </td>
                ))}
                <td class="plan-editor-grid-end">
                  <Button size="small" variant="quiet" aria-label={text.everyDayAt(at)} onClick={() => everyDay(at)}>
                    {text.everyDay}
                  </Button>
                  <IconButton icon="close" label={text.removeTime(at)} onClick={() => removeTime(at)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <AddTime onAdd={(added) => setKept([...new Set([...kept, added])])} />
      <p class="quiet small">{text.timesHint}</p>
    </>
  );
}

function AddTime({ onAdd }: { onAdd: (time: string) => void }) {
  const text = useText(planEditorText);
  const [time, setTime] = useState('18:00');
  return (
    <form
      class="plan-editor-add-time"
      onSubmit={(event) => {
        event.preventDefault();
        if (/^\d\d:\d\d$/.test(time)) onAdd(time);
      }}
    >
      <TextField label={text.newTime} type="time" value={time} onChange={setTime} isRequired />
      <Button type="submit" icon="plus">
        {text.addTime}
      </Button>
    </form>
  );
}
