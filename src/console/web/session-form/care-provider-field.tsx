import type { CareProvider } from '@care-scheduling/client';
import { useClient } from '../client-record/client-record-data.js';
import { useCareProviders } from '../data/care-providers.js';
import { useText } from '../text/text.js';
import { QueryView, SelectField, Skeleton } from '../ui/index.js';
import { sessionFormText } from './session-form.text.js';

type CareProviderFieldProps = {
  clientId: number;
  value: number | undefined;
  onChange: (id: number | undefined) => void;
  error: string | undefined;
};

/** Lets a Clinic choose one of the Client's Care Providers. */
export function CareProviderField({ clientId, value, onChange, error }: CareProviderFieldProps) {
  const text = useText(sessionFormText);
  const client = useClient(clientId);
  const providers = useCareProviders();
  const assigned = client.data?.careProviderIds ?? [];
  const toOptions = (all: readonly CareProvider[]) =>
    all
      .filter(({ id, active }) => active && assigned.includes(id))
      .map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <QueryView of={providers} skeleton={<Skeleton rows={1} />}>
      {(all) => (
        <SelectField
          label={text.careProvider}
          isRequired
          value={value === undefined ? '' : String(value)}
          error={error}
          options={[{ value: '', label: text.chooseCareProvider }, ...toOptions(all)]}
          onChange={(id) => onChange(id === '' ? undefined : Number(id))}
        />
      )}
    </QueryView>
  );
}
