import type { CareProvider } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Badge, Button, Table, type TableColumn } from '../../ui/index.js';
import { directoryText } from '../directory.text.js';
import {
  getRecordLabel,
  canChangeRecord,
  RECORD_KINDS,
  type DirectoryRecord,
  type RecordFieldName,
  type RecordKindName,
} from './record-kinds.js';
import { readRecordField } from './record-values.js';

type RecordTableProps = {
  kind: RecordKindName;
  records: readonly DirectoryRecord[];
  careProviders: readonly CareProvider[];
  onOpen: (record: DirectoryRecord) => void;
};

export function RecordTable({ kind, records, careProviders, onOpen }: RecordTableProps) {
  const text = useText(directoryText);
  const { label, fields } = RECORD_KINDS[kind];
  const names = new Map(careProviders.map(({ id, name }) => [id, name]));
  const listed = fields.filter((field) =>
    (['email', 'timeZone', 'description', 'externalId'] as RecordFieldName[]).includes(field),
  );
  const columns: TableColumn<DirectoryRecord>[] = [
    {
      key: label,
      header: text.fields[label],
      cell: (record) => <span class="directory-name">{getRecordLabel(record)}</span>,
    },
    ...(kind === 'clients'
      ? [
          {
            key: 'careProviders',
            header: text.assignedTo,
            cell: (record: DirectoryRecord) => <Assigned ids={getAssignedCareProviderIds(record)} names={names} />,
          },
        ]
      : []),
    ...listed.map((field) => ({
      key: field,
      header: text.fields[field],
      cell: (record: DirectoryRecord) => (
        <span class="directory-value">{readRecordField(record, field) ?? <span class="quiet">{text.none}</span>}</span>
      ),
    })),
    {
      key: 'state',
      header: text.state,
      cell: (record) =>
        !record.active ? (
          <Badge tone="attention">{text.inactive}</Badge>
        ) : canChangeRecord(kind, record) ? (
          <Badge tone="good">{text.active}</Badge>
        ) : (
          <Badge>{text.catalogue}</Badge>
        ),
    },
    {
      key: 'change',
      header: text.change,
      align: 'end',
      cell: (record) =>
        canChangeRecord(kind, record) && (
          <Button size="small" aria-label={text.changeOf(getRecordLabel(record))} onClick={() => onOpen(record)}>
            {text.change}
          </Button>
        ),
    },
  ];
  return <Table caption={text.kinds[kind]} columns={columns} rows={records} rowKey={({ id }) => id} />;
}

function Assigned({ ids, names }: { ids: readonly number[]; names: ReadonlyMap<number, string> }) {
  const text = useText(directoryText);
  if (ids.length === 0) return <span class="quiet">{text.nobody}</span>;
  return (
    <span class="directory-value">
      {ids.map((id) => names.get(id) ?? `${text.one.careProviders} ${id}`).join(', ')}
    </span>
  );
}

export function getAssignedCareProviderIds(record: DirectoryRecord | undefined): readonly number[] {
  return record !== undefined && 'careProviderIds' in record ? record.careProviderIds : [];
}
