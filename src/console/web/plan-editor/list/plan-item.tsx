import type { DesignPlanSummary } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Badge, Button, ButtonLink, Icon } from '../../ui/index.js';
import { usePlanArchiveChange } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';

type PlanItemProps = { plan: DesignPlanSummary; careProvider: string | undefined; onClone: () => void };

/** Shows one plan in the list, with its most frequent actions. */
export function PlanItem({ plan, careProvider, onClone }: PlanItemProps) {
  const text = useText(planEditorText);
  const restore = usePlanArchiveChange({ done: ({ planName }) => text.restored(planName) });
  const { id, planName, appointmentTitle, revision, template, archived } = plan;
  return (
    <li class="plan-editor-plan">
      <div class="plan-editor-plan-badges">
        <Badge>{text.revision(revision)}</Badge>
        {template && <Badge tone="accent">{text.template}</Badge>}
        {archived && <Badge tone="attention">{text.archived}</Badge>}
      </div>
      <h2 class="plan-editor-plan-name">
        <a href={`#/plan/${id}`}>{planName}</a>
      </h2>
      <p class="quiet small">{appointmentTitle ?? text.noSessionTitle}</p>
      {careProvider !== undefined && (
        <p class="plan-editor-plan-person quiet small">
          <Icon name="person" size={16} /> {careProvider}
        </p>
      )}
      <div class="plan-editor-plan-actions">
        {archived ? (
          <Button
            size="small"
            icon="undo"
            isBusy={restore.isPending}
            aria-label={text.restorePlan(planName)}
            onClick={() => restore.mutate({ id, archived: false })}
          >
            {text.restore}
          </Button>
        ) : (
          <Button
            size="small"
            icon="copy"
            aria-label={template ? text.useTemplateOf(planName) : text.clonePlan(planName)}
            onClick={onClone}
          >
            {template ? text.useTemplate : text.clone}
          </Button>
        )}
        <ButtonLink size="small" variant="quiet" icon="clock" href={`#/plan/${id}/revision`}>
          {text.revisions}
        </ButtonLink>
      </div>
    </li>
  );
}
