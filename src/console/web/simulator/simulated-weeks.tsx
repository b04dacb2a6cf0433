import { useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import { Badge, Button, IconButton, SelectField, TextField, Time } from '../ui/index.js';
import {
  isTimeOfDay,
  addReminder,
  isWeekFull,
  MAX_MOVE_DAYS,
  MAX_REMINDERS_PER_WEEK,
  moveSessionOfWeek,
  removeReminder,
  type SimulatorInput,
} from './simulator-input.js';
import type { SimulatedReminder, SimulatedWeek } from './simulate-plan.js';
import { simulatorText } from './simulator.text.js';

type WeekProps = { plan: SimulatorInput; onChange: (plan: SimulatorInput) => void };

/**
 * Shows the computed times of each week. The user can move the Session of a week and edit its homework reminders.
 */
export function SimulatedWeeks({ weeks, ...props }: WeekProps & { weeks: readonly SimulatedWeek[] }) {
  const text = useText(simulatorText);
  return (
    <ol class="simulator-weeks" aria-label={text.result}>
      {weeks.map((week) => (
        <Week key={week.number} week={week} {...props} />
      ))}
    </ol>
  );
}

function Week({ week, plan, onChange }: WeekProps & { week: SimulatedWeek }) {
  const text = useText(simulatorText);
  const index = week.number - 1;
  const move = (days: number) => onChange(moveSessionOfWeek(plan, index, days));
  return (
    <li class="simulator-week">
      <div class="simulator-head">
        <h2>{text.week(week.number)}</h2>
        {week.move !== 0 && <Badge tone="accent">{text.moved(week.move)}</Badge>}
        {week.warnings.includes('DAYLIGHT_SAVING_SHIFT') && <Badge tone="attention">{text.clockChange}</Badge>}
        {week.warnings.includes('TIME_SKIPPED') && <Badge tone="attention">{text.skipped}</Badge>}
        <div class="simulator-move no-print">
          <Button
            size="small"
            aria-disabled={week.move <= -MAX_MOVE_DAYS}
            aria-label={`${text.earlier}, ${text.week(week.number)}`}
            onClick={() => move(-1)}
          >
            {text.earlier}
          </Button>
          <Button
            size="small"
            aria-disabled={week.move >= MAX_MOVE_DAYS}
            aria-label={`${text.later}, ${text.week(week.number)}`}
            onClick={() => move(1)}
          >
            {text.later}
          </Button>
        </div>
      </div>
      <p class="simulator-session" aria-live="polite">
        <Time at={week.session.at} zone={plan.clinicZone} />
        {plan.clientZone !== plan.clinicZone && (
          <span class="quiet small">
            {text.forClient} <Time at={week.session.at} zone={plan.clientZone} />
          </span>
        )}
      </p>
      <Strip week={week} />
      <ul class="simulator-reminders">
        {week.reminders.map((reminder, place) => (
          <li key={place}>
            <span class={`simulator-dot simulator-${toTone(reminder)}`} aria-hidden="true" />
            <span>
              <Time at={reminder.at} zone={plan.clientZone} />{' '}
              <span class="quiet">{reminder.kind === 'SESSION' ? text.ofSession : text.ofHomework}</span>
            </span>
            {reminder.adjustment !== undefined && (
              <Badge tone={reminder.adjustment === 'SKIPPED' ? 'danger' : 'attention'}>
                {text.adjustments[reminder.adjustment]}
              </Badge>
            )}
          </li>
        ))}
      </ul>
      <WeekPlan index={index} plan={plan} onChange={onChange} />
    </li>
  );
}

/** Shows the week as a graph. Screen readers skip it, because the list below contains the same information. */
function Strip({ week }: { week: SimulatedWeek }) {
  const at = ({ share }: { share: number }) => ({ insetInlineStart: `${share * 100}%` });
  return (
    <div class="simulator-strip" aria-hidden="true">
      <span class="simulator-mark-session" style={at(week.session)} />
      {week.reminders.map((reminder, place) => (
        <span key={place} class={`simulator-mark simulator-${toTone(reminder)}`} style={at(reminder)} />
      ))}
    </div>
  );
}

function toTone({ kind, adjustment }: SimulatedReminder): string {
  if (adjustment !== undefined) return adjustment === 'SKIPPED' ? 'skipped' : 'adjusted';
  return kind === 'SESSION' ? 'of-session' : 'of-homework';
}

/** Lets the user edit the week's homework reminders. */
function WeekPlan({ index, plan, onChange }: WeekProps & { index: number }) {
  const text = useText(simulatorText);
  const [day, setDay] = useState('3');
  const [time, setTime] = useState('18:00');
  const isFull = isWeekFull(plan, index);
  return (
    <details class="simulator-edit no-print">
      <summary>{text.edit}</summary>
      <ul class="simulator-times">
        {plan.weeks[index]!.map((reminder, place) => (
          <li key={`${reminder.day} ${reminder.time}`}>
            <span class="numeric">{text.dayAt(reminder.day, reminder.time)}</span>
            <IconButton
              icon="close"
              label={text.remove(text.dayAt(reminder.day, reminder.time))}
              onClick={() => onChange(removeReminder(plan, index, place))}
            />
          </li>
        ))}
      </ul>
      <div class="simulator-add">
        <SelectField
          label={text.day}
          isRequired
          value={day}
          onChange={setDay}
          options={['1', '2', '3', '4', '5', '6', '7'].map((value) => ({ value, label: value }))}
        />
        <TextField label={text.timeOfDay} type="time" isRequired value={time} onChange={setTime} />
        <Button
          icon="plus"
          aria-disabled={isFull || !isTimeOfDay(time)}
          onClick={() => onChange(addReminder(plan, index, { day: Number(day), time }))}
        >
          {text.add}
        </Button>
      </div>
      <p class="small quiet" role="status">
        {isFull && text.full(MAX_REMINDERS_PER_WEEK)}
      </p>
    </details>
  );
}
