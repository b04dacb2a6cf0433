import './session-form.css';
import type { ComponentChildren } from 'preact';
import { MAX_SESSION_MINUTES } from '../data/session-duration.js';
import { useText } from '../text/text.js';
import { CheckboxField, formatFullZone, SelectField, TextField, type SelectOption } from '../ui/index.js';
import { sessionFormText } from './session-form.text.js';
import {
  REMINDER_OFFSET_CHOICES,
  toOfferedChoice,
  type TimeZoneChoice,
  type SessionTimesFormValues,
} from './session-times.js';
import { getDeviceZone } from './zone-offset.js';

type SessionTimesFieldsProps = {
  when: SessionTimesFormValues;
  onChange: (when: SessionTimesFormValues) => void;
  /** Error messages of the form and of the service, keyed by JSON pointer. */
  errors: Readonly<Record<string, string>>;
  clientZone: string | null;
  showsInterval: boolean;
  children?: ComponentChildren;
};

/** Form fields for the date, time, time zone, duration and reminders of Sessions. */
export function SessionTimesFields(props: SessionTimesFieldsProps) {
  const { when, onChange, errors, clientZone, showsInterval, children } = props;
  const text = useText(sessionFormText);
  const clock = toOfferedChoice(when.clock, clientZone);
  const set = (change: Partial<SessionTimesFormValues>) => onChange({ ...when, ...change });
  return (
    <>
      <div class="session-form-fields">
        <TextField
          label={text.date}
          type="date"
          isRequired
          value={when.date}
          error={errors['/date']}
          onChange={(date) => set({ date })}
        />
        <TextField
          label={text.time}
          type="time"
          isRequired
          value={when.time}
          error={errors['/time']}
          onChange={(time) => set({ time })}
        />
        <TextField
          label={text.minutes}
          type="number"
          isRequired
          min={1}
          max={MAX_SESSION_MINUTES}
          value={when.minutes}
          error={errors['/durationMinutes']}
          onChange={(minutes) => set({ minutes })}
        />
        {showsInterval && (
          <TextField
            label={text.interval}
            type="number"
            isRequired
            min={1}
            max={365}
            value={when.interval}
            error={errors['/intervalDays']}
            onChange={(interval) => set({ interval })}
          />
        )}
        {children}
      </div>
      <SelectField
        label={text.clock}
        isRequired
        hint={clock === 'clinic' ? undefined : text.clockHint}
        value={clock}
        error={errors['/offset']}
        options={listClocks(clientZone, text)}
        onChange={(chosen) => set({ clock: chosen })}
      />
      <fieldset class="session-form-reminders">
        <legend class="field-label">{text.reminders}</legend>
        {REMINDER_OFFSET_CHOICES.map((reminder) => (
          <CheckboxField
            key={reminder}
            label={text.before[reminder]}
            checked={when.reminders.includes(reminder)}
            onChange={(isChosen) =>
              set({
                reminders: REMINDER_OFFSET_CHOICES.filter((one) =>
                  one === reminder ? isChosen : when.reminders.includes(one),
                ),
              })
            }
          />
        ))}
        {errors['/reminders'] !== undefined && <p class="field-error">{errors['/reminders']}</p>}
      </fieldset>
    </>
  );
}

function listClocks(
  clientZone: string | null,
  { clocks }: (typeof sessionFormText)['en'],
): SelectOption<TimeZoneChoice>[] {
  const device = getDeviceZone();
  return [
    { value: 'clinic', label: clocks.clinic },
    ...(clientZone === null ? [] : [{ value: 'client' as const, label: clocks.client(formatFullZone(clientZone)) }]),
    ...(device === clientZone ? [] : [{ value: 'device' as const, label: clocks.device(formatFullZone(device)) }]),
  ];
}

/**
 * Returns the error message of each field, keyed by JSON pointer.
 *
 * @param found the errors that the form itself has found; they take precedence
 * @param served the errors that the service has returned
 */
export function useSessionTimesErrorMessages(
  found: Partial<Record<string, 'missing' | 'number'>>,
  served: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const text = useText(sessionFormText);
  const texts = Object.keys(found).map((pointer) => [
    pointer,
    found[pointer] === 'missing'
      ? text.missing
      : pointer === '/durationMinutes'
        ? text.minutesWrong
        : text.intervalWrong,
  ]);
  return { ...served, ...(Object.fromEntries(texts) as Record<string, string>) };
}
