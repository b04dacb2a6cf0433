import './plan-editor.css';
import './board.css';
import type { DesignPlanModel } from '@care-scheduling/client';
import type { PageProps } from '../app/page-props.js';
import { useText } from '../text/text.js';
import { ErrorState, Page, QueryView, Skeleton } from '../ui/index.js';
import { useBookLookup, useDesignPlan } from './plan-editor-data.js';
import { planEditorText } from './plan-editor.text.js';
import { PlanEditor } from './plan-editor.js';

/** Edits a plan, or creates one at `/plan/new`. */
export default function PlanEditorPage({ params }: PageProps) {
  const text = useText(planEditorText);
  const isNew = params['id'] === undefined;
  const plan = useDesignPlan(Number(params['id']), !isNew);
  if (isNew) return <WithBooks plan={undefined} />;
  if (plan.data !== undefined) return <WithBooks plan={plan.data} />;
  return (
    <Page title={text.onePlan}>
      {plan.isError ? (
        <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />
      ) : (
        <Skeleton rows={3} shape="card" />
      )}
    </Page>
  );
}

/** Loads the titles of Books, without which the plan cannot be edited. */
function WithBooks({ plan }: { plan: DesignPlanModel | undefined }) {
  const text = useText(planEditorText);
  const { read, bookLookup } = useBookLookup();
  if (read.data === undefined)
    return (
      <Page title={plan?.planName ?? text.newPlan}>
        <QueryView of={read} skeleton={<Skeleton rows={3} shape="card" />}>
          {() => null}
        </QueryView>
      </Page>
    );
  return <PlanEditor plan={plan} bookLookup={bookLookup} />;
}
