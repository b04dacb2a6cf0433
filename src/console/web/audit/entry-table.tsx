import type { AuditEntry } from '@care-scheduling/client';
import { useText } from '../text/text.js';
import { Badge, Table, Time, type TableColumn } from '../ui/index.js';
import { auditText } from './audit.text.js';

const MAX_RECORDS = 4;

export function AuditEntryTable({ entries, timeZone }: { entries: readonly AuditEntry[]; timeZone: string }) {
  const text = useText(auditText);
  const columns: TableColumn<AuditEntry>[] = [
    { key: 'at', header: text.at, cell: ({ at }) => <Time at={at} zone={timeZone} format="dateTimeYear" /> },
    {
      key: 'actor',
      header: text.role,
      cell: ({ actorRole, actorId }) => (
        <span>
          {text.roles[actorRole]} {actorId}
        </span>
      ),
    },
    {
      key: 'operation',
      header: text.operation,
      cell: ({ operation, access, count }) => (
        <div>
          <Badge tone={access === 'WRITE' ? 'accent' : 'neutral'}>{text.accesses[access]}</Badge>{' '}
          {count > 1 && <span class="small quiet">{text.times(count)}</span>}
          <p class="audit-operation">{operation}</p>
        </div>
      ),
    },
    { key: 'records', header: text.records, cell: (entry) => <Records entry={entry} /> },
    {
      key: 'outcome',
      header: text.outcome,
      cell: ({ outcome }) =>
        outcome === 'OK' ? (
          <Badge tone="good">{text.outcomes.OK}</Badge>
        ) : (
          <Badge tone="danger">
            {text.outcomes.DENIED} {outcome}
          </Badge>
        ),
    },
  ];
  return <Table caption={text.title} columns={columns} rows={entries} rowKey={({ id }) => id} />;
}

function Records({ entry: { records, recordCount } }: { entry: AuditEntry }) {
  const text = useText(auditText);
  const shown = records.slice(0, MAX_RECORDS);
  const more = recordCount - shown.length;
  return (
    <span class="small audit-records">
      {shown.join(', ')} {more > 0 && <span class="quiet">{text.more(more)}</span>}
    </span>
  );
}
