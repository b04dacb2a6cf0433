import './outbox.css';
import type { Reminder } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { replaceRoute } from '../app/router.js';
import type { PageProps } from '../app/page-props.js';
import { useText } from '../text/text.js';
import {
  Button,
  Card,
  EmptyState,
  formatZone,
  Notice,
  Page,
  Pager,
  QueryView,
  SegmentedControl,
  Skeleton,
  useExistingPage,
  usePageCursors,
} from '../ui/index.js';
import { useClinicReminderPreference, useOutboxReminders } from './outbox-data.js';
import { OutboxFilterFields } from './outbox-filter-fields.js';
import {
  countOutboxFilters,
  readOutboxFilters,
  OUTBOX_TABS,
  toOutboxPath,
  type OutboxFilterValues,
  type OutboxTab,
} from './outbox-filters.js';
import { outboxText } from './outbox.text.js';
import { RedriveAllDialog } from './redrive-all-dialog.js';
import { ReminderTable } from './reminder-table.js';
import { ReminderExplanationDialog } from './reminder-explanation-dialog.js';

/** The page with all reminders of the Clinic, by state. */
export default function OutboxPage({ query }: PageProps) {
  const text = useText(outboxText);
  const filters = readOutboxFilters(query);
  const zone = useClinicReminderPreference();
  const timeZone = zone.data?.effective.timeZone;
  const [isRedrivingAll, setRedrivingAll] = useState(false);
  const opened = Number(query.get('reminder'));
  return (
    <Page title={text.title} intro={timeZone && text.intro(formatZone(timeZone))}>
      <div class="outbox-tabs">
        <SegmentedControl<OutboxTab>
          label={text.state}
          value={filters.tab}
          options={(Object.keys(OUTBOX_TABS) as OutboxTab[]).map((value) => ({ value, label: text.tabs[value] }))}
          onChange={(tab) => replaceRoute(toOutboxPath({ ...filters, tab }))}
        />
      </div>
      <OutboxFilterFields filters={filters} />
      <QueryView of={zone} skeleton={<Skeleton rows={6} />}>
        {({ effective }) => (
          <Reminders filters={filters} timeZone={effective.timeZone} onRedriveAll={() => setRedrivingAll(true)} />
        )}
      </QueryView>
      {isRedrivingAll && (
        <RedriveAllDialog
          status={filters.tab === 'skipped' ? 'SKIPPED' : 'DEAD'}
          onClose={() => setRedrivingAll(false)}
        />
      )}
      {Number.isSafeInteger(opened) && opened > 0 && (
        <ReminderExplanationDialog
          id={opened}
          clinicZone={timeZone}
          filters={filters}
          onClose={() => replaceRoute(toOutboxPath(filters))}
        />
      )}
    </Page>
  );
}

type RemindersProps = { filters: OutboxFilterValues; timeZone: string; onRedriveAll: () => void };

function Reminders({ filters, timeZone, onRedriveAll }: RemindersProps) {
  const text = useText(outboxText);
  const pages = usePageCursors(toOutboxPath(filters));
  const reminders = useOutboxReminders(filters, timeZone, pages.cursor);
  useExistingPage(pages, reminders);
  const open = ({ id }: Reminder) => replaceRoute(toOutboxPath(filters, id));
  return (
    <QueryView of={reminders} skeleton={<Skeleton rows={6} />}>
      {({ items, nextCursor, count }) =>
        items.length === 0 && !reminders.isPlaceholderData ? (
          <NoReminders filters={filters} />
        ) : (
          <div class="stack visually-stable" aria-busy={reminders.isPlaceholderData}>
            <RedriveHint filters={filters} items={items} onRedriveAll={onRedriveAll} />
            {count !== undefined && (
              <p class="small quiet numeric" role="status">
                {text.count(count.value, count.isExact)}
              </p>
            )}
            <Card>
              <ReminderTable reminders={items} timeZone={timeZone} onWhy={open} filters={filters} />
            </Card>
            <Pager pages={pages} nextCursor={nextCursor} isLoading={reminders.isPlaceholderData} />
          </div>
        )
      }
    </QueryView>
  );
}

function NoReminders({ filters }: { filters: OutboxFilterValues }) {
  const text = useText(outboxText);
  const isNarrowed = countOutboxFilters(filters) > 0;
  return (
    <EmptyState
      icon={filters.tab === 'failed' && !isNarrowed ? 'check' : 'mail'}
      title={isNarrowed ? text.emptyFiltered : text.empty[filters.tab]}
      action={
        isNarrowed && (
          <Button
            onClick={() =>
              replaceRoute(toOutboxPath({ ...readOutboxFilters(new URLSearchParams()), tab: filters.tab }))
            }
          >
            {text.clear}
          </Button>
        )
      }
    />
  );
}

type HintProps = { filters: OutboxFilterValues; items: readonly Reminder[]; onRedriveAll: () => void };

/** Explains what the user can do about reminders that were not delivered. */
function RedriveHint({ filters: { tab }, items, onRedriveAll }: HintProps) {
  const text = useText(outboxText);
  const canRedrive = tab === 'failed' || (tab === 'skipped' && items.some(({ reason }) => reason === 'TOO_LATE'));
  if (!canRedrive) return null;
  return (
    <Notice
      tone={tab === 'failed' ? 'attention' : 'neutral'}
      actions={
        <Button size="small" icon="refresh" onClick={onRedriveAll}>
          {text.allAgain}
        </Button>
      }
    >
      <p>{tab === 'failed' ? text.failedHint : text.skippedHint}</p>
    </Notice>
  );
}
