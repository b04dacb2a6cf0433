import './audit.css';
import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../app/page-props.js';
import { replaceRoute } from '../app/router.js';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { useText } from '../text/text.js';
import {
  Button,
  Card,
  EmptyState,
  ErrorState,
  FilterForm,
  Page,
  Pager,
  QueryView,
  SelectField,
  Skeleton,
  TextField,
  useExistingPage,
  usePageCursors,
  type SelectOption,
} from '../ui/index.js';
import { AdministratorAccessList } from './administrator-access-list.js';
import { useAuditEntries, useAuditExport, useAuditTimeZone } from './audit-data.js';
import {
  countAuditFilters,
  isRecordReference,
  readAuditFilters,
  AUDIT_ROLES,
  toAuditPath,
  type AuditFilterValues,
} from './audit-filters.js';
import { auditText } from './audit.text.js';
import { AuditEntryTable } from './entry-table.js';

/** The page of the audit trail, which shows callers and the records that they have read or changed. */
export default function AuditPage({ query }: PageProps) {
  const text = useText(auditText);
  const { role } = requireSignedInCaller();
  const filters = readAuditFilters(query);
  const { timeZone, failure } = useAuditTimeZone();
  const pages = usePageCursors(toAuditPath(filters));
  const entries = useAuditEntries(filters, timeZone, pages.cursor);
  useExistingPage(pages, entries);
  const download = useAuditExport(filters, timeZone, text.exported);
  return (
    <Page
      title={text.title}
      intro={text.intro}
      actions={
        <Button
          icon="download"
          disabled={timeZone === undefined}
          isBusy={download.isPending}
          onClick={() => download.mutate(undefined)}
        >
          {text.export}
        </Button>
      }
    >
      {role === 'CLINIC' && timeZone !== undefined && <AdministratorAccessList timeZone={timeZone} />}
      <AuditFilters filters={filters} />
      {failure !== undefined ? (
        <ErrorState error={failure.error} onRetry={failure.retry} />
      ) : (
        <QueryView of={entries} skeleton={<Skeleton rows={8} />}>
          {({ items, nextCursor }) =>
            items.length === 0 ? (
              <EmptyState icon="search" title={text.empty} />
            ) : (
              <div class="stack visually-stable" aria-busy={entries.isPlaceholderData}>
                <Card>
                  <AuditEntryTable entries={items} timeZone={timeZone ?? 'UTC'} />
                </Card>
                <Pager pages={pages} nextCursor={nextCursor} isLoading={entries.isPlaceholderData} />
              </div>
            )
          }
        </QueryView>
      )}
    </Page>
  );
}

function AuditFilters({ filters }: { filters: AuditFilterValues }) {
  const text = useText(auditText);
  const [record, setRecord] = useState(filters.record);
  // A link to what an administrator has read changes the filter without the field.
  useEffect(() => setRecord(filters.record), [filters.record]);
  const set = (change: Partial<AuditFilterValues>) => replaceRoute(toAuditPath({ ...filters, ...change }));
  const toOptions = <T extends string>(
    labels: Record<T, string>,
    known = Object.keys(labels) as T[],
  ): SelectOption<T | ''>[] => [
    { value: '', label: text.all },
    ...known.map((value) => ({ value, label: labels[value] })),
  ];
  const count = countAuditFilters(filters);
  return (
    <FilterForm label={text.filters} count={count}>
      <SelectField
        label={text.role}
        isRequired
        value={filters.role}
        options={toOptions(text.roles, [...AUDIT_ROLES])}
        onChange={(role) => set({ role })}
      />
      <SelectField
        label={text.access}
        isRequired
        value={filters.access}
        options={toOptions(text.accesses)}
        onChange={(access) => set({ access })}
      />
      <SelectField
        label={text.outcome}
        isRequired
        value={filters.outcome}
        options={toOptions(text.outcomes)}
        onChange={(outcome) => set({ outcome })}
      />
      <TextField
        label={text.record}
        isRequired
        placeholder="client/1"
        title={text.recordHint}
        error={record === '' || isRecordReference(record) ? undefined : text.recordHint}
        value={record}
        onChange={(value) => {
          setRecord(value);
          if (value === '' || isRecordReference(value)) set({ record: value });
        }}
      />
      <TextField label={text.from} isRequired type="date" value={filters.from} onChange={(from) => set({ from })} />
      <TextField label={text.to} isRequired type="date" value={filters.to} onChange={(to) => set({ to })} />
      {count > 0 && (
        <Button
          variant="quiet"
          icon="close"
          onClick={() => {
            setRecord('');
            replaceRoute('/audit');
          }}
        >
          {text.clear}
        </Button>
      )}
    </FilterForm>
  );
}
