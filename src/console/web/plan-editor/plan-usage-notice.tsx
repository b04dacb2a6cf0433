import type { DesignPlanModel, SeriesSummary } from '@care-scheduling/client';
import { useText } from '../text/text.js';
import { Icon } from '../ui/index.js';
import { useSeriesOfPlan } from './plan-editor-data.js';
import { planEditorText } from './plan-editor.text.js';

/** Shows the number of series that use the plan, and how a new revision affects them. */
export function PlanUsageNotice({ plan }: { plan: DesignPlanModel }) {
  const text = useText(planEditorText);
  const { data } = useSeriesOfPlan(plan.id);
  // This information is not essential, so errors are not shown.
  if (data === undefined) return null;
  const { open, older } = countOpenSeries(data.items, plan.revision);
  const isTruncated = data.nextCursor !== null;
  return (
    <p class="plan-editor-use">
      <Icon name={open === 0 ? 'info' : 'people'} size={18} />
      <span>
        {open === 0 ? text.noSeries : text.openSeries(open, isTruncated)}{' '}
        {open > 0 && (older === 0 ? text.allNewest : text.someOlder(older))} {open > 0 && text.revisionMeaning}
      </span>
    </p>
  );
}

/** Counts the open series, that is, those with upcoming Sessions. @param revision the plan's newest revision */
export function countOpenSeries(series: readonly SeriesSummary[], revision: number): { open: number; older: number } {
  const open = series.filter(({ upcomingCount }) => upcomingCount > 0);
  return { open: open.length, older: open.filter((one) => one.revision !== null && one.revision < revision).length };
}
