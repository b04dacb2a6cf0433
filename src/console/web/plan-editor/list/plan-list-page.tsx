import '../plan-editor.css';
import type { DesignPlanSummary } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { replaceRoute } from '../../app/router.js';
import type { PageProps } from '../../app/page-props.js';
import { useCareProviders } from '../../data/care-providers.js';
import { useText } from '../../text/text.js';
import {
  Button,
  ButtonLink,
  EmptyState,
  Page,
  QueryView,
  SegmentedControl,
  SelectField,
  Skeleton,
  TextField,
} from '../../ui/index.js';
import { useDesignPlanList, type PlanQuery } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';
import { ClonePlanDialog } from './clone-plan-dialog.js';
import { ImportPlanDialog } from './import-plan-dialog.js';
import { PlanItem } from './plan-item.js';
import { useDebounced } from '../../data/use-debounced.js';

const SHELVES = ['plans', 'templates', 'archive'] as const;
type Shelf = (typeof SHELVES)[number];
const SORTS = ['name', '-updatedAt', '-createdDate'] as const;
type Sort = (typeof SORTS)[number];

const STEP = 24;
const MAX_SHOWN = 200;

const FILTERS: Readonly<Record<Shelf, PlanQuery>> = {
  plans: { template: false },
  templates: { template: true },
  archive: { archived: true },
};

/** The page with the Design Plans of the Clinic: plans in use, templates and archived plans. */
export default function PlanListPage({ query }: PageProps) {
  const text = useText(planEditorText);
  const shelf = SHELVES.find((one) => one === query.get('shelf')) ?? 'plans';
  const [sort, setSort] = useState<Sort>('name');
  const [name, setName] = useState('');
  const [isImporting, setImporting] = useState(false);
  const settledName = useDebounced(name.trim());
  return (
    <Page
      title={text.listTitle}
      intro={text.listIntro}
      actions={
        <>
          <Button icon="upload" onClick={() => setImporting(true)}>
            {text.import}
          </Button>
          <ButtonLink variant="primary" icon="plus" href="#/plan/new">
            {text.newPlan}
          </ButtonLink>
        </>
      }
    >
      <div class="plan-editor-filter">
        <SegmentedControl
          label={text.shelf}
          value={shelf}
          options={SHELVES.map((value) => ({ value, label: text.shelves[value] }))}
          onChange={(value) => replaceRoute(`/plan?shelf=${value}`)}
        />
        <TextField label={text.searchPlans} type="search" value={name} onChange={setName} isRequired />
        <SelectField
          label={text.sort}
          value={sort}
          onChange={setSort}
          options={SORTS.map((value) => ({ value, label: text.sorts[value] }))}
          isRequired
        />
      </div>
      {/* The key keeps the plans of another shelf from being shown until those of this one are loaded. */}
      <PlansOfShelf key={shelf} shelf={shelf} sort={sort} name={settledName} onShowAll={() => setName('')} />
      {isImporting && <ImportPlanDialog onClose={() => setImporting(false)} />}
    </Page>
  );
}

function PlansOfShelf(props: { shelf: Shelf; sort: Sort; name: string; onShowAll: () => void }) {
  const { shelf, sort, name, onShowAll } = props;
  const [limit, setLimit] = useState(STEP);
  const plans = useDesignPlanList({ ...FILTERS[shelf], sort, limit, ...(name !== '' && { name }) });
  return (
    <QueryView of={plans} skeleton={<Skeleton rows={3} shape="card" />}>
      {({ items, nextCursor }) =>
        items.length === 0 ? (
          // The plans of the previous search are shown until the new ones are loaded.
          <NoPlans shelf={shelf} isFiltered={name !== '' || plans.isPlaceholderData} onShowAll={onShowAll} />
        ) : (
          <PlanItems
            items={items}
            onMore={nextCursor !== null && limit < MAX_SHOWN ? () => setLimit(MAX_SHOWN) : undefined}
            isTruncated={nextCursor !== null && limit >= MAX_SHOWN}
          />
        )
      }
    </QueryView>
  );
}

function PlanItems(props: {
  items: readonly DesignPlanSummary[];
  onMore: (() => void) | undefined;
  isTruncated: boolean;
}) {
  const text = useText(planEditorText);
  const careProviders = useCareProviders();
  const [cloned, setCloned] = useState<DesignPlanSummary>();
  const names = new Map(careProviders.data?.map(({ id, name }) => [id, name]));
  return (
    <>
      <ul class="plan-editor-plans">
        {props.items.map((plan) => (
          <PlanItem
            key={plan.id}
            plan={plan}
            careProvider={plan.caregiverId === null ? undefined : names.get(plan.caregiverId)}
            onClone={() => setCloned(plan)}
          />
        ))}
      </ul>
      {props.onMore && (
        <div class="row">
          <Button onClick={props.onMore}>{text.showMore}</Button>
        </div>
      )}
      {props.isTruncated && <p class="quiet">{text.refineSearch}</p>}
      {cloned !== undefined && <ClonePlanDialog plan={cloned} onClose={() => setCloned(undefined)} />}
    </>
  );
}

function NoPlans({ shelf, isFiltered, onShowAll }: { shelf: Shelf; isFiltered: boolean; onShowAll: () => void }) {
  const text = useText(planEditorText);
  if (isFiltered)
    return (
      <EmptyState icon="search" title={text.noMatch} action={<Button onClick={onShowAll}>{text.showAll}</Button>} />
    );
  return (
    <EmptyState
      icon="plan"
      title={text.emptyShelves[shelf]}
      action={
        shelf === 'archive' ? undefined : (
          <ButtonLink variant="primary" icon="plus" href="#/plan/new">
            {text.newPlan}
          </ButtonLink>
        )
      }
    >
      {text.emptyShelfTexts[shelf]}
    </EmptyState>
  );
}
