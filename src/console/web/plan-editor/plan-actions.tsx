import type { DesignPlanModel } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import { Button, ButtonLink, Dialog } from '../ui/index.js';
import { useExportPlan } from './export-plan.js';
import { ClonePlanDialog } from './list/clone-plan-dialog.js';
import { usePlanArchiveChange } from './plan-editor-data.js';
import { planEditorText } from './plan-editor.text.js';

/** Shows the actions that apply to a saved plan as a whole. */
export function PlanActions({ plan, isDirty }: { plan: DesignPlanModel; isDirty: boolean }) {
  const text = useText(planEditorText);
  const [opened, setOpened] = useState<'clone' | 'archive'>();
  const close = () => setOpened(undefined);
  const exporting = useExportPlan(() => text.exported);
  const archiving = usePlanArchiveChange({
    done: ({ planName, archived }) => (archived ? text.archivedPlan(planName) : text.restored(planName)),
    // Another dialog may be open by now.
    onDone: () => setOpened((current) => (current === 'archive' ? undefined : current)),
  });
  const { id, archived, template } = plan;
  return (
    <>
      <ButtonLink variant="quiet" icon="clock" href={`#/plan/${id}/revision`}>
        {text.revisions}
      </ButtonLink>
      <ButtonLink variant="quiet" icon="print" href={`#/plan/${id}/print`}>
        {text.print}
      </ButtonLink>
      <Button variant="quiet" icon="download" isBusy={exporting.isPending} onClick={() => exporting.mutate(id)}>
        {text.export}
      </Button>
      <Button variant="quiet" icon="copy" onClick={() => setOpened('clone')}>
        {template ? text.useTemplate : text.clone}
      </Button>
      {archived ? (
        <Button icon="undo" isBusy={archiving.isPending} onClick={() => archiving.mutate({ id, archived: false })}>
          {text.restore}
        </Button>
      ) : (
        <Button variant="quiet" icon="archive" onClick={() => setOpened('archive')}>
          {text.archive}
        </Button>
      )}
      {opened === 'clone' && <ClonePlanDialog plan={plan} onClose={close} />}
      {opened === 'archive' && (
        <Dialog
          title={text.archiveTitle(plan.planName)}
          onClose={close}
          actions={
            <>
              <Button onClick={close}>{text.cancel}</Button>
              <Button
                variant="danger"
                isBusy={archiving.isPending}
                onClick={() => archiving.mutate({ id, archived: true })}
              >
                {text.archive}
              </Button>
            </>
          }
        >
          <p>{text.archiveText}</p>
          {isDirty && <p>{text.archiveDirty}</p>}
        </Dialog>
      )}
    </>
  );
}
