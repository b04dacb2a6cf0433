import { isProblem } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { navigate } from '../../app/router.js';
import { toFieldErrors } from '../../data/problems.js';
import { useWhileMounted } from '../../data/use-while-mounted.js';
import { useText } from '../../text/text.js';
import { Button, Dialog, Field, Notice } from '../../ui/index.js';
import { useImportPlan } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';
import { parsePlanFile, type PlanFile } from './plan-file.js';

/** Reads an exported file, shows its content, and creates the plan. */
export function ImportPlanDialog({ onClose }: { onClose: () => void }) {
  const text = useText(planEditorText);
  const [file, setFile] = useState<PlanFile | 'unreadable'>();
  const importing = useImportPlan({
    done: ({ planName }) => text.created(planName),
    // The user may be on another page by now.
    onDone: useWhileMounted(({ id }) => navigate(`/plan/${id}`)),
    showsError: (error) => isProblem(error, 'unprocessable') || isProblem(error, 'invalid-request'),
  });
  const read = async (chosen: File | undefined) => {
    importing.reset();
    setFile(chosen === undefined ? undefined : (parsePlanFile(await chosen.text()) ?? 'unreadable'));
  };
  const errors = Object.entries(toFieldErrors(importing.error));
  const plan = file === 'unreadable' ? undefined : file;
  return (
    <Dialog
      title={text.importTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button
            variant="primary"
            isBusy={importing.isPending}
            disabled={plan === undefined}
            onClick={() => plan !== undefined && importing.mutate(plan.document)}
          >
            {text.import}
          </Button>
        </>
      }
    >
      <p class="quiet">{text.importIntro}</p>
      <Field label={text.file} error={file === 'unreadable' ? text.unreadable : undefined} isRequired>
        {(control) => (
          <input
            {...control}
            class="control"
            type="file"
            accept=".json,application/json"
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      {plan !== undefined && (
        <Notice tone="accent" title={plan.name ?? text.noName}>
          <p>{text.weeks(plan.weekCount)}</p>
        </Notice>
      )}
      {errors.length > 0 && (
        <Notice tone="danger" title={text.importRefused}>
          <ul class="plan-editor-errors">
            {errors.map(([pointer, detail]) => (
              <li key={pointer}>
                <code>{pointer}</code> <span lang="en">{detail}</span>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </Dialog>
  );
}
