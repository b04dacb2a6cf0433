import { isProblem } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { navigate } from '../../app/router.js';
import { toFieldErrors } from '../../data/problems.js';
import { useWhileMounted } from '../../data/use-while-mounted.js';
import { useText } from '../../text/text.js';
import { Button, CheckboxField, Dialog, TextField } from '../../ui/index.js';
import { useClonePlan } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';

type ClonePlanDialogProps = { plan: { id: number; planName: string; template: boolean }; onClose: () => void };

/** Asks for the name of the copy, creates it and opens it. The copy of a template is an ordinary plan. */
export function ClonePlanDialog({ plan, onClose }: ClonePlanDialogProps) {
  const text = useText(planEditorText);
  const [planName, setName] = useState(plan.template ? plan.planName : text.copyOf(plan.planName));
  const [template, setTemplate] = useState(false);
  const clone = useClonePlan({
    done: (created) => text.created(created.planName),
    // The user may be on another page by now.
    onDone: useWhileMounted(({ id }) => navigate(`/plan/${id}`)),
    showsError: (error) => isProblem(error, 'unprocessable') || isProblem(error, 'invalid-request'),
  });
  const isBlank = planName.trim() === '';
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isBlank) clone.mutate({ id: plan.id, body: { planName: planName.trim(), template } });
  };
  return (
    <Dialog
      title={plan.template ? text.useTemplateTitle : text.cloneTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" form="clone-plan" isBusy={clone.isPending}>
            {text.create}
          </Button>
        </>
      }
    >
      <form id="clone-plan" class="stack" noValidate onSubmit={submit}>
        <TextField
          label={text.planName}
          value={planName}
          onChange={setName}
          error={isBlank ? text.rules.empty : toFieldErrors(clone.error)['/planName']}
          isRequired
        />
        <CheckboxField label={text.templateField} hint={text.templateHint} checked={template} onChange={setTemplate} />
      </form>
    </Dialog>
  );
}
