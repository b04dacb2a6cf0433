import '../plan-editor.css';
import '../board.css';
import './revisions.css';
import { useEffect, useState } from 'preact/hooks';
import { replaceRoute } from '../../app/router.js';
import type { PageProps } from '../../app/page-props.js';
import { useCareProviders } from '../../data/care-providers.js';
import { useText } from '../../text/text.js';
import {
  Button,
  ButtonLink,
  Card,
  EmptyState,
  ErrorState,
  Page,
  QueryView,
  SelectField,
  Skeleton,
} from '../../ui/index.js';
import { useBookLookup, useRevisionDiff, useRevisions, type RevisionSummary } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';
import { DiffView } from './diff-view.js';
import { RevisionItem } from './revision-item.js';

/** The page with the revisions of a plan, and the differences between two of them. */
export default function RevisionsPage({ params, query }: PageProps) {
  const text = useText(planEditorText);
  const id = Number(params['id']);
  const [showsAll, setShowsAll] = useState(false);
  const revisions = useRevisions(id, showsAll);
  const items = revisions.data?.items ?? [];
  const pair = choosePair(items, query);
  const lacksAsked =
    revisions.data?.hasMore === true && ['from', 'to'].some((name) => isMissing(items, query.get(name)));
  useEffect(() => {
    if (lacksAsked) setShowsAll(true);
  }, [lacksAsked]);
  return (
    <Page
      title={items[0] === undefined ? text.revisions : text.revisionsTitle(items[0].planName)}
      intro={text.revisionsIntro}
      actions={
        <ButtonLink icon="start" href={`#/plan/${id}`}>
          {text.backToPlan}
        </ButtonLink>
      }
    >
      <QueryView of={revisions} skeleton={<Skeleton rows={3} shape="card" />}>
        {({ hasMore }) => (
          <div class="plan-editor-history">
            <section aria-label={text.revisions}>
              <ol class="plan-editor-revisions">
                {items.map((revision) => (
                  <RevisionItem key={revision.revision} planId={id} revision={revision} />
                ))}
              </ol>
              {hasMore && <Button onClick={() => setShowsAll(true)}>{text.showMore}</Button>}
            </section>
            {lacksAsked ? (
              <Skeleton rows={4} />
            ) : pair === undefined ? (
              <EmptyState icon="clock" title={text.onlyOne}>
                {text.onlyOneText}
              </EmptyState>
            ) : (
              <Comparison planId={id} items={items} pair={pair} />
            )}
          </div>
        )}
      </QueryView>
    </Page>
  );
}

type Pair = { from: number; to: number };

/** Whether a revision in the URL is not among those that have been loaded. */
function isMissing(items: readonly RevisionSummary[], asked: string | null): boolean {
  return asked !== null && !items.some(({ revision }) => String(revision) === asked);
}

/** Returns the two revisions in the URL, or the two newest ones. */
function choosePair(items: readonly RevisionSummary[], query: URLSearchParams): Pair | undefined {
  const [newest, second] = items;
  if (newest === undefined || second === undefined) return undefined;
  const find = (name: string) => items.find(({ revision }) => String(revision) === query.get(name))?.revision;
  return { from: find('from') ?? second.revision, to: find('to') ?? newest.revision };
}

function Comparison({ planId, items, pair }: { planId: number; items: readonly RevisionSummary[]; pair: Pair }) {
  const text = useText(planEditorText);
  const { from, to } = pair;
  const diff = useRevisionDiff(planId, pair);
  const { read, bookLookup } = useBookLookup();
  const [before, after] = [from, to].map((number) => items.find(({ revision }) => revision === number)!);
  // Names are loaded only if they are shown.
  const people = useCareProviders(before!.caregiverId !== after!.caregiverId);
  const names = new Map(people.data?.map(({ id, name }) => [id, name]));
  const options = items.map(({ revision }) => ({ value: String(revision), label: text.revision(revision) }));
  return (
    <Card title={text.changesTitle(from, to)}>
      <div class="plan-editor-pair">
        <SelectField
          label={text.compareFrom}
          value={String(from)}
          options={options}
          onChange={(value) => replaceRoute(`/plan/${planId}/revision?from=${value}&to=${to}`)}
          isRequired
        />
        <SelectField
          label={text.compareTo}
          value={String(to)}
          options={options}
          onChange={(value) => replaceRoute(`/plan/${planId}/revision?from=${from}&to=${value}`)}
          isRequired
        />
      </div>
      {diff.isError && diff.data === undefined ? (
        <ErrorState error={diff.error} onRetry={() => void diff.refetch()} />
      ) : diff.data === undefined || read.isLoading ? (
        <Skeleton rows={4} />
      ) : (
        <DiffView diff={diff.data} before={before!} after={after!} bookLookup={bookLookup} names={names} />
      )}
    </Card>
  );
}
