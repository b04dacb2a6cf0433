import { useState } from 'preact/hooks';
import { useCareProviders } from '../../data/care-providers.js';
import { useDebounced } from '../../data/use-debounced.js';
import { useText } from '../../text/text.js';
import {
  Card,
  EmptyState,
  Pager,
  QueryView,
  SelectField,
  Skeleton,
  TextField,
  useExistingPage,
  usePageCursors,
} from '../../ui/index.js';
import { useDirectoryRecords } from '../directory-data.js';
import { directoryText } from '../directory.text.js';
import { RECORD_KINDS, type DirectoryRecord, type RecordKindName } from './record-kinds.js';
import { RecordTable } from './record-table.js';

const LIMIT = 25;

type Activity = 'all' | 'active' | 'inactive';
type Order = 'label' | '-label' | 'createdAt' | '-createdAt';

type RecordListProps = { kind: RecordKindName; onOpen: (record: DirectoryRecord) => void };

/** A searchable list of one kind of record. The search text is not part of the URL, because it may contain a name. */
export function RecordList({ kind, onOpen }: RecordListProps) {
  const text = useText(directoryText);
  const { isSearchable } = RECORD_KINDS[kind];
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed);
  const [activity, setActivity] = useState<Activity>('all');
  const [sort, setSort] = useState<Order>(isSearchable ? 'label' : 'createdAt');
  const pages = usePageCursors(`${search} ${activity} ${sort}`);
  const active = activity === 'all' ? undefined : activity === 'active';
  const records = useDirectoryRecords(kind, { search, active, sort, cursor: pages.cursor, limit: LIMIT });
  useExistingPage(pages, records);
  const careProviders = useCareProviders(kind === 'clients');
  const orders = (Object.keys(text.orders) as Order[]).filter((one) => isSearchable || one.endsWith('createdAt'));
  const activities = Object.keys(text.activities) as Activity[];
  return (
    <div class="stack">
      <form class="filters no-print" role="search" onSubmit={(event) => event.preventDefault()}>
        {isSearchable && <TextField label={text.search} isRequired type="search" value={typed} onChange={setTyped} />}
        <SelectField
          label={text.activity}
          isRequired
          value={activity}
          options={activities.map((value) => ({ value, label: text.activities[value] }))}
          onChange={setActivity}
        />
        <SelectField
          label={text.order}
          isRequired
          value={sort}
          options={orders.map((value) => ({ value, label: text.orders[value] }))}
          onChange={setSort}
        />
      </form>
      <QueryView of={records} skeleton={<Skeleton rows={6} />}>
        {({ items, nextCursor, count }) => (
          <div class="stack visually-stable" aria-busy={records.isPlaceholderData}>
            <p class="small quiet numeric" role="status">
              {count !== undefined && text.count(count.value, count.isExact)}
            </p>
            {items.length === 0 ? (
              <NoRecords isNarrowed={search !== '' || activity !== 'all'} />
            ) : (
              <Card>
                <RecordTable kind={kind} records={items} careProviders={careProviders.data ?? []} onOpen={onOpen} />
              </Card>
            )}
            <Pager pages={pages} nextCursor={nextCursor} isLoading={records.isPlaceholderData} />
          </div>
        )}
      </QueryView>
    </div>
  );
}

function NoRecords({ isNarrowed }: { isNarrowed: boolean }) {
  const text = useText(directoryText);
  return (
    <EmptyState icon={isNarrowed ? 'search' : 'people'} title={isNarrowed ? text.emptyFound : text.empty}>
      {isNarrowed ? text.emptyFoundText : text.emptyText}
    </EmptyState>
  );
}
