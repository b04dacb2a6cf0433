import type { AdministratorAccess } from '@care-scheduling/client';
import { useText } from '../text/text.js';
import {
  Badge,
  Card,
  Pager,
  QueryView,
  Skeleton,
  Table,
  Time,
  useExistingPage,
  usePageCursors,
  type TableColumn,
} from '../ui/index.js';
import { toAuditRouteOfAccess, useAdministratorAccesses } from './administrator-access-data.js';
import { administratorAccessText } from './administrator-access.text.js';

/** Lists the accesses of administrators to the data of the Clinic: who, why, when, and what they have read. */
export function AdministratorAccessList({ timeZone }: { timeZone: string }) {
  const text = useText(administratorAccessText);
  const pages = usePageCursors('');
  const accesses = useAdministratorAccesses({ isOpenOnly: false, cursor: pages.cursor });
  useExistingPage(pages, accesses);
  const columns: TableColumn<AdministratorAccess>[] = [
    {
      key: 'from',
      header: text.from,
      cell: ({ openedAt }) => <Time at={openedAt} zone={timeZone} format="dateTimeYear" />,
    },
    {
      key: 'until',
      header: text.until,
      cell: ({ endedAt, expiresAt }) => <Time at={endedAt ?? expiresAt} zone={timeZone} format="dateTimeYear" />,
    },
    { key: 'administrator', header: text.administrator, cell: ({ administrator }) => administrator },
    { key: 'reason', header: text.reason, cell: ({ reason }) => reason },
    { key: 'state', header: text.state, cell: (access) => <State access={access} /> },
    { key: 'reads', header: text.reads, cell: (access) => <a href={toAuditRouteOfAccess(access)}>{text.reads}</a> },
  ];
  return (
    <Card title={text.title}>
      <p class="quiet">{text.intro}</p>
      <QueryView of={accesses} skeleton={<Skeleton rows={2} />}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <p>{text.empty}</p>
          ) : (
            <>
              <Table caption={text.title} columns={columns} rows={items} rowKey={({ id }) => id} />
              <Pager label={text.title} pages={pages} nextCursor={nextCursor} isLoading={accesses.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
    </Card>
  );
}

function State({ access: { open, endedBy } }: { access: AdministratorAccess }) {
  const text = useText(administratorAccessText);
  if (open) return <Badge tone="danger">{text.open}</Badge>;
  return <Badge tone="neutral">{endedBy === null ? text.expired : text.endedBy[endedBy]}</Badge>;
}
