import { useText } from '../text/text.js';
import { formatZone, SegmentedControl, TextField } from '../ui/index.js';
import { toQuietSharesOfDay, type PreferenceFormValues, type QuietHoursMode } from './preference-form.js';
import { preferencesText } from './preferences.text.js';

type QuietHoursFieldsProps = {
  form: PreferenceFormValues;
  isClinic: boolean;
  timeZone: string;
  onChange: (change: Partial<PreferenceFormValues>) => void;
};

export function QuietHoursFields({ form, isClinic, timeZone, onChange }: QuietHoursFieldsProps) {
  const text = useText(preferencesText);
  const { mode, from, to } = form;
  const modes = Object.entries(isClinic ? text.clinicModes : text.modes) as [QuietHoursMode, string][];
  const isSame = from !== '' && from === to;
  const missing = (time: string) => (time === '' ? text.missing : undefined);
  return (
    <>
      <p class="small quiet">{text.quietText}</p>
      <SegmentedControl<QuietHoursMode>
        label={text.quietHours}
        value={mode}
        options={modes.map(([value, label]) => ({ value, label }))}
        onChange={(value) => onChange({ mode: value })}
      />
      {mode === 'own' && (
        <div class="preferences-times">
          <TextField
            label={text.from}
            isRequired
            type="time"
            value={from}
            error={missing(from)}
            onChange={(value) => onChange({ from: value })}
          />
          <TextField
            label={text.to}
            isRequired
            type="time"
            value={to}
            error={missing(to) ?? (isSame ? text.sameTimes : undefined)}
            onChange={(value) => onChange({ to: value })}
          />
        </div>
      )}
      {mode === 'own' && !isSame && from !== '' && to !== '' && (
        <div class="stack">
          <Day from={from} to={to} />
          <p class="small" role="status">
            {text.example(from, to)} {isClinic ? text.zoneClinic : text.zone(formatZone(timeZone))}
          </p>
        </div>
      )}
      {mode === 'none' && <p class="small">{text.anyTime}</p>}
    </>
  );
}

/** A bar that stands for a day. The quiet hours are darker. */
function Day({ from, to }: { from: string; to: string }) {
  const text = useText(preferencesText);
  return (
    <div class="preferences-day" role="img" aria-label={`${text.dayOf}: ${from}–${to}`}>
      <div class="preferences-bar">
        {toQuietSharesOfDay({ from, to }).map(({ start, end }) => (
          <span
            key={start}
            class="preferences-quiet"
            style={{ insetInlineStart: `${start * 100}%`, inlineSize: `${(end - start) * 100}%` }}
          />
        ))}
      </div>
      <div class="preferences-hours small quiet numeric" aria-hidden="true">
        {['00', '06', '12', '18', '24'].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
    </div>
  );
}
