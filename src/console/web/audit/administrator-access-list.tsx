import type { AdministratorAccess } from '@care-scheduling/client';
import { useText } from '../text/text.js';
import { Badge, Card, QueryView, Skeleton, Table, Time, type TableColumn } from '../ui/index.js';
import { toAuditRouteOfAccess, useAdministratorAccesses } from './administrator-access-data.js';
import { administratorAccessText } from './administrator-access.text.js';

/** Lists the latest accesses of administrators to the data of the Clinic: who, why, when, and what they have read. */
export function AdministratorAccessList({ timeZone }: { timeZone: string }) {
  const text = useText(administratorAccessText);
  const accesses = useAdministratorAccesses(false);
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
        {({ items }) =>
          items.length === 0 ? (
            <p>{text.empty}</p>
          ) : (
            <Table caption={text.title} columns={columns} rows={items} rowKey={({ id }) => id} />
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
