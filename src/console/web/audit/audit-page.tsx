import './audit.css';
import { useState } from 'preact/hooks';
import type { PageProps } from '../app/page-props.js';
import { replace } from '../app/router.js';
import { requireSignIn } from '../app/sign-in/sign-in.js';
import { useText } from '../text/text.js';
import {
  Button,
  Card,
  EmptyState,
  ErrorState,
  FilterForm,
  Page,
  Pager,
  ReadView,
  SelectField,
  Skeleton,
  TextField,
  usePages,
  type Option,
} from '../ui/index.js';
import { AccessList } from './access-list.js';
import { useEntries, useExport, useZone } from './audit-data.js';
import { countFilters, isRecord, readFilters, ROLES, toPath, type Filters } from './audit-filters.js';
import { auditText } from './audit.text.js';
import { EntryTable } from './entry-table.js';

/** The audit trail: callers, and the records that they have read or changed. */
export default function AuditPage({ query }: PageProps) {
  const text = useText(auditText);
  const { role } = requireSignIn();
  const filters = readFilters(query);
  const { timeZone, failure } = useZone();
  const pages = usePages(toPath(filters));
  const entries = useEntries(filters, timeZone, pages.cursor);
  const download = useExport(filters, timeZone ?? 'UTC', text.exported);
  return (
    <Page
      title={text.title}
      intro={text.intro}
      actions={
        <Button icon="download" isBusy={download.isPending} onClick={() => download.mutate(undefined)}>
          {text.export}
        </Button>
      }
    >
      {role === 'CLINIC' && timeZone !== undefined && <AccessList timeZone={timeZone} />}
      <AuditFilters filters={filters} />
      {failure !== undefined ? (
        <ErrorState error={failure.error} onRetry={failure.retry} />
      ) : (
        <ReadView of={entries} skeleton={<Skeleton rows={8} />}>
          {({ items, nextCursor }) =>
            items.length === 0 ? (
              <EmptyState icon="search" title={text.empty} />
            ) : (
              <div class="stack visually-stable" aria-busy={entries.isPlaceholderData}>
                <Card>
                  <EntryTable entries={items} timeZone={timeZone ?? 'UTC'} />
                </Card>
                <Pager pages={pages} nextCursor={nextCursor} />
              </div>
            )
          }
        </ReadView>
      )}
    </Page>
  );
}

function AuditFilters({ filters }: { filters: Filters }) {
  const text = useText(auditText);
  const [record, setRecord] = useState(filters.record);
  const set = (change: Partial<Filters>) => replace(toPath({ ...filters, ...change }));
  const toOptions = <T extends string>(
    labels: Record<T, string>,
    known = Object.keys(labels) as T[],
  ): Option<T | ''>[] => [{ value: '', label: text.all }, ...known.map((value) => ({ value, label: labels[value] }))];
  const count = countFilters(filters);
  return (
    <FilterForm label={text.filters} count={count}>
      <SelectField
        label={text.role}
        isRequired
        value={filters.role}
        options={toOptions(text.roles, [...ROLES])}
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
        value={record}
        onChange={(value) => {
          setRecord(value);
          if (value === '' || isRecord(value)) set({ record: value });
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
            replace('/audit');
          }}
        >
          {text.clear}
        </Button>
      )}
    </FilterForm>
  );
}
