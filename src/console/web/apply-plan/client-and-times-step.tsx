import { useRef, useState } from 'preact/hooks';
import { isClinicSignedIn } from '../data/staff-api.js';
import { CareProviderField } from '../session-form/care-provider-field.js';
import { ClientPicker } from '../session-form/client-picker.js';
import { sessionFormText } from '../session-form/session-form.text.js';
import { useSessionTimesErrorMessages, SessionTimesFields } from '../session-form/session-times-fields.js';
import { validateSessionTimes } from '../session-form/session-times.js';
import { useText } from '../text/text.js';
import { Button } from '../ui/index.js';
import { applyPlanText } from './apply-plan.text.js';
import type { ApplyPlanDraft } from './draft.js';

type ClientAndTimesStepProps = {
  draft: ApplyPlanDraft;
  errors: Readonly<Record<string, string>>;
  clientZone: string | null;
  onChange: (part: Partial<ApplyPlanDraft>) => void;
  onBack: () => void;
  onNext: () => void;
};

/** Step 2: the user chooses the Client and the times of the Sessions. */
export function ClientAndTimesStep({
  draft,
  errors: served,
  clientZone,
  onChange,
  onBack,
  onNext,
}: ClientAndTimesStepProps) {
  const text = useText(applyPlanText);
  const form = useText(sessionFormText);
  const element = useRef<HTMLFormElement>(null);
  const [isChecked, setChecked] = useState(false);
  const { clientId, caregiverId, when } = draft;
  const found = validateSessionTimes(when);
  const lacksProvider = isClinicSignedIn() && clientId !== undefined && caregiverId === undefined;
  const errors = useSessionTimesErrorMessages(isChecked ? found : {}, served);
  const submit = (event: Event) => {
    event.preventDefault();
    setChecked(true);
    if (clientId !== undefined && !lacksProvider && Object.keys(found).length === 0) onNext();
    else
      requestAnimationFrame(() =>
        element.current?.querySelector<HTMLElement>('[aria-invalid], [type=search]')?.focus(),
      );
  };
  return (
    <form ref={element} class="stack" noValidate onSubmit={submit}>
      <div class="card">
        <ClientPicker
          clientId={clientId}
          error={isChecked && clientId === undefined ? form.chooseClient : errors['/clientId']}
          onChange={(id) => onChange({ clientId: id, caregiverId: undefined })}
        />
        {isClinicSignedIn() && clientId !== undefined && (
          <CareProviderField
            clientId={clientId}
            value={caregiverId}
            error={isChecked && lacksProvider ? form.missing : errors['/caregiverId']}
            onChange={(id) => onChange({ caregiverId: id })}
          />
        )}
      </div>
      <div class="card">
        <SessionTimesFields
          when={when}
          errors={errors}
          clientZone={clientZone}
          showsInterval
          onChange={(next) => onChange({ when: next })}
        />
      </div>
      <div class="apply-plan-buttons">
        <Button onClick={onBack}>{text.back}</Button>
        <Button type="submit" variant="primary">
          {text.toPreview}
        </Button>
      </div>
    </form>
  );
}
