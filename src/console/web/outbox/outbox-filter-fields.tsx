import { replaceRoute } from '../app/router.js';
import { useText } from '../text/text.js';
import { Button, FilterForm, SelectField, TextField, type SelectOption } from '../ui/index.js';
import { countOutboxFilters, readOutboxFilters, toOutboxPath, type OutboxFilterValues } from './outbox-filters.js';
import { outboxText } from './outbox.text.js';

/**
 * Form fields for the filters of the list. The filters are part of the URL, so that a filtered list can be bookmarked.
 */
export function OutboxFilterFields({ filters }: { filters: OutboxFilterValues }) {
  const text = useText(outboxText);
  const set = (change: Partial<OutboxFilterValues>) => replaceRoute(toOutboxPath({ ...filters, ...change }));
  const toOptions = <T extends string>(labels: Record<T, string>): SelectOption<T | ''>[] => [
    { value: '', label: text.all },
    ...(Object.keys(labels) as T[]).map((value) => ({ value, label: labels[value] })),
  ];
  const count = countOutboxFilters(filters);
  return (
    <FilterForm label={text.filters} count={count} startsFolded>
      <SelectField
        label={text.kind}
        isRequired
        value={filters.kind}
        options={toOptions(text.kinds)}
        onChange={(kind) => set({ kind })}
      />
      <SelectField
        label={text.recipient}
        isRequired
        value={filters.recipientKind}
        options={toOptions(text.recipients)}
        onChange={(recipientKind) => set({ recipientKind })}
      />
      <TextField label={text.from} isRequired type="date" value={filters.from} onChange={(from) => set({ from })} />
      <TextField label={text.to} isRequired type="date" value={filters.to} onChange={(to) => set({ to })} />
      <TextField
        label={text.session}
        isRequired
        inputMode="numeric"
        value={filters.session}
        onChange={(session) => set({ session: session.replaceAll(/\D/g, '').replace(/^0+/, '').slice(0, 15) })}
      />
      {count > 0 && (
        <Button
          variant="quiet"
          icon="close"
          onClick={() => replaceRoute(toOutboxPath({ ...readOutboxFilters(new URLSearchParams()), tab: filters.tab }))}
        >
          {text.clear}
        </Button>
      )}
    </FilterForm>
  );
}
