import type { DesignPlanModel } from '@care-scheduling/client';
import { useMemo } from 'preact/hooks';
import { LeaveConfirmation } from '../app/leave-confirmation.js';
import { useCareProviders } from '../data/care-providers.js';
import { useText } from '../text/text.js';
import { Badge, Notice, Button, Page } from '../ui/index.js';
import { PlanBoard } from './board/plan-board.js';
import type { BookLookup } from './plan-editor-data.js';
import { planEditorText } from './plan-editor.text.js';
import { PlanActions } from './plan-actions.js';
import { PlanConflictDialog } from './plan-conflict-dialog.js';
import { PlanFields } from './plan-fields.js';
import { PlanUsageNotice } from './plan-usage-notice.js';
import { SaveBar } from './save-bar.js';
import { usePlanDraftEditor } from './use-plan-draft-editor.js';

type PlanEditorProps = { plan: DesignPlanModel | undefined; bookLookup: BookLookup };

/** Edits a new or an existing plan. The weeks are columns, and changes are stored only when the user saves them. */
export function PlanEditor({ plan, bookLookup }: PlanEditorProps) {
  const text = useText(planEditorText);
  const editor = usePlanDraftEditor(plan);
  const { base, history, dispatch, isDirty, findings } = editor;
  const careProviders = useCareProviders();
  const names = useMemo(() => new Map(careProviders.data?.map(({ id, name }) => [id, name])), [careProviders.data]);
  const isReadOnly = base?.archived === true;
  return (
    <Page
      title={base?.planName ?? text.newPlan}
      width="full"
      intro={
        base === null ? (
          text.newPlanIntro
        ) : (
          <span class="plan-editor-badges">
            <Badge>{text.revision(base.revision)}</Badge>
            {base.template && <Badge tone="accent">{text.template}</Badge>}
            {base.archived && <Badge tone="attention">{text.archived}</Badge>}
          </span>
        )
      }
      actions={base !== null && <PlanActions plan={base} isDirty={isDirty} />}
    >
      {isReadOnly && <Notice tone="attention">{text.archivedText}</Notice>}
      {editor.newer !== undefined && (
        <Notice
          tone="attention"
          title={text.newerTitle(editor.newer.revision)}
          actions={<Button onClick={editor.showConflict}>{text.compareBoth}</Button>}
        >
          <p>{text.newerText}</p>
        </Notice>
      )}
      {base !== null && !isReadOnly && <PlanUsageNotice plan={base} />}
      <PlanFields
        draft={history.draft}
        dispatch={dispatch}
        findings={findings}
        careProviders={careProviders.data ?? []}
        isReadOnly={isReadOnly}
      />
      <PlanBoard
        draft={history.draft}
        bookLookup={bookLookup}
        dispatch={dispatch}
        findings={findings}
        isReadOnly={isReadOnly}
      />
      {!isReadOnly && <SaveBar editor={editor} />}
      {editor.conflict !== undefined && (
        <PlanConflictDialog editor={editor} bookLookup={bookLookup} careProviderNames={names} />
      )}
      <LeaveConfirmation isActive={isDirty} title={text.leaveTitle}>
        {text.leaveText}
      </LeaveConfirmation>
    </Page>
  );
}
