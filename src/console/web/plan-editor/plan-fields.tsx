import type { CareProvider } from '@care-scheduling/client';
import { useText } from '../text/text.js';
import { Card, CheckboxField, SelectField, TextAreaField, TextField } from '../ui/index.js';
import type { DraftHistoryAction } from './draft/draft-history.js';
import type { PlanDraft } from './draft/draft.js';
import { planEditorText } from './plan-editor.text.js';
import type { DraftErrorMessages } from './use-plan-draft-editor.js';

type PlanFieldsProps = {
  draft: PlanDraft;
  dispatch: (action: DraftHistoryAction) => void;
  findings: DraftErrorMessages;
  careProviders: readonly CareProvider[];
  isReadOnly: boolean;
};

/** Form fields for the plan's name, its Care Provider, and the title and description of its Sessions. */
export function PlanFields({ draft, dispatch, findings, careProviders, isReadOnly }: PlanFieldsProps) {
  const text = useText(planEditorText);
  const { planName, appointmentTitle, appointmentDesc, caregiverId, template } = draft;
  const people = careProviders.filter(({ id, active }) => active || id === caregiverId);
  const isUnknown = caregiverId !== null && !people.some(({ id }) => id === caregiverId);
  return (
    <fieldset class="plan-editor-fieldset" disabled={isReadOnly}>
      <legend class="visually-hidden">{text.aboutPlan}</legend>
      <Card>
        <div class="plan-editor-fields">
          <TextField
            label={text.planName}
            value={planName}
            onChange={(value) => dispatch({ type: 'text', field: 'planName', value })}
            error={findings['planName']}
            isRequired
          />
          <SelectField
            label={text.careProvider}
            value={String(caregiverId ?? '')}
            onChange={(value) => dispatch({ type: 'careProvider', caregiverId: value === '' ? null : Number(value) })}
            options={[
              { value: '', label: text.noCareProvider },
              ...people.map(({ id, name }) => ({ value: String(id), label: name })),
              ...(isUnknown ? [{ value: String(caregiverId), label: text.careProviderNumber(caregiverId) }] : []),
            ]}
            error={findings['caregiverId']}
          />
          <TextField
            label={text.sessionTitle}
            hint={text.sessionTitleHint}
            value={appointmentTitle}
            onChange={(value) => dispatch({ type: 'text', field: 'appointmentTitle', value })}
            error={findings['appointmentTitle']}
          />
          <TextAreaField
            label={text.sessionDescription}
            value={appointmentDesc}
            onChange={(value) => dispatch({ type: 'text', field: 'appointmentDesc', value })}
            error={findings['appointmentDesc']}
            rows={2}
          />
          <CheckboxField
            label={text.templateField}
            hint={text.templateHint}
            checked={template}
            onChange={(checked) => dispatch({ type: 'template', template: checked })}
          />
        </div>
      </Card>
    </fieldset>
  );
}
