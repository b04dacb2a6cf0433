import { useEffect, useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { Button, CheckboxField, SelectField, showSuccess, TextField } from '../ui/index.js';
import { ClinicPlanDialog } from './clinic-plan-dialog.js';
import {
  EXAMPLE_PLANS,
  INITIAL_SIMULATOR_INPUT,
  isSupportedDate,
  isTimeOfDay,
  isTimeZone,
  MAX_SIMULATED_WEEKS,
  setWeekCount,
  type SimulatorInput,
} from './simulator-input.js';
import { simulatorText } from './simulator.text.js';

const COUNTS = Array.from({ length: MAX_SIMULATED_WEEKS }, (_, index) => String(index + 1));

type FormProps = { plan: SimulatorInput; onChange: (plan: SimulatorInput) => void };
type QuietRange = NonNullable<SimulatorInput['quietHours']>;

/** The form for the input of the simulator. Each valid change is simulated immediately. */
export function SimulatorForm({ plan, onChange }: FormProps) {
  const text = useText(simulatorText);
  const example = (Object.keys(EXAMPLE_PLANS) as (keyof typeof EXAMPLE_PLANS)[]).find(
    (name) => JSON.stringify(EXAMPLE_PLANS[name]) === JSON.stringify(plan.weeks),
  );
  const choose = (name: keyof typeof EXAMPLE_PLANS | 'own') => {
    if (name !== 'own') onChange({ ...plan, weeks: EXAMPLE_PLANS[name], moves: [] });
  };
  return (
    <div class="simulator-form">
      <SelectField
        label={text.plan}
        isRequired
        value={example ?? 'own'}
        onChange={choose}
        options={[
          { value: 'sleep', label: text.sleep },
          { value: 'activity', label: text.activity },
          ...(example === undefined ? [{ value: 'own' as const, label: text.own }] : []),
        ]}
      />
      {requireSignedInCaller().role === 'CLINIC' && <ClinicPlanButton plan={plan} onChange={onChange} />}
      <SelectField
        label={text.weekCount}
        isRequired
        value={String(plan.weeks.length)}
        onChange={(count) => onChange(setWeekCount(plan, Number(count)))}
        options={COUNTS.map((count) => ({ value: count, label: count }))}
      />
      <Checked
        label={text.date}
        type="date"
        value={plan.date}
        isValid={isSupportedDate}
        error={text.noDate}
        onChange={(date) => onChange({ ...plan, date })}
      />
      <Checked
        label={text.time}
        type="time"
        value={plan.time}
        isValid={isTimeOfDay}
        error={text.noTime}
        onChange={(time) => onChange({ ...plan, time })}
      />
      <Checked
        label={text.clinicZone}
        list="simulator-zones"
        value={plan.clinicZone}
        isValid={isTimeZone}
        error={text.noZone}
        onChange={(clinicZone) => onChange({ ...plan, clinicZone })}
      />
      <Checked
        label={text.clientZone}
        list="simulator-zones"
        value={plan.clientZone}
        isValid={isTimeZone}
        error={text.noZone}
        onChange={(clientZone) => onChange({ ...plan, clientZone })}
      />
      <datalist id="simulator-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <QuietHours plan={plan} onChange={onChange} />
    </div>
  );
}

/** A button with which a Clinic can replace the times of the example with those of one of the Clinic's plans. */
function ClinicPlanButton({ plan, onChange }: FormProps) {
  const text = useText(simulatorText);
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      <Button icon="calendar" onClick={() => setChoosing(true)}>
        {text.takeClinicPlan}
      </Button>
      {isChoosing && (
        <ClinicPlanDialog
          onClose={() => setChoosing(false)}
          onTake={({ weeks, isTruncated }) => {
            setChoosing(false);
            onChange({ ...plan, weeks, moves: [] });
            showSuccess(isTruncated ? text.takenInPart : text.taken);
          }}
        />
      )}
    </>
  );
}

function QuietHours({ plan, onChange }: FormProps) {
  const text = useText(simulatorText);
  const { quietHours } = plan;
  return (
    <>
      <CheckboxField
        label={text.quietHours}
        checked={quietHours !== null}
        onChange={(checked) => onChange({ ...plan, quietHours: checked ? INITIAL_SIMULATOR_INPUT.quietHours : null })}
      />
      {quietHours !== null && (
        <QuietTimes {...quietHours} onChange={(changed) => onChange({ ...plan, quietHours: changed })} />
      )}
    </>
  );
}

type QuietTimesProps = QuietRange & { onChange: (times: QuietRange) => void };

/** The inputs for both times. Only together are they valid or not, so the simulation changes when both are. */
function QuietTimes({ from, to, onChange }: QuietTimesProps) {
  const text = useText(simulatorText);
  const [written, setWritten] = useState({ from, to });
  useEffect(() => setWritten({ from, to }), [from, to]);
  const set = (part: Partial<QuietRange>) => {
    const times = { ...written, ...part };
    setWritten(times);
    if (isTimeOfDay(times.from) && isTimeOfDay(times.to) && times.from !== times.to) onChange(times);
  };
  const isValidEnd = isTimeOfDay(written.to) && written.to !== written.from;
  return (
    <>
      <TextField
        label={text.from}
        type="time"
        isRequired
        value={written.from}
        error={isTimeOfDay(written.from) ? undefined : text.noTime}
        onChange={(time) => set({ from: time })}
      />
      <TextField
        label={text.to}
        type="time"
        isRequired
        value={written.to}
        error={isValidEnd ? undefined : text.noTime}
        onChange={(time) => set({ to: time })}
      />
    </>
  );
}

type CheckedProps = {
  label: string;
  type?: 'date' | 'time';
  list?: string;
  value: string;
  isValid: (text: string) => boolean;
  error: string;
  onChange: (text: string) => void;
};

/** An input that keeps invalid text and shows an error until the text is valid. */
function Checked({ value, isValid, error, onChange, ...field }: CheckedProps) {
  const [written, setWritten] = useState(value);
  useEffect(() => setWritten(value), [value]);
  return (
    <TextField
      {...field}
      isRequired
      value={written}
      error={isValid(written) ? undefined : error}
      onChange={(text) => {
        setWritten(text);
        if (isValid(text)) onChange(text);
      }}
    />
  );
}
