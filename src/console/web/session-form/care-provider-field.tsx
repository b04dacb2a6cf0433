import { useClient } from '../client-record/client-record-data.js';
import { useApiQuery } from '../data/use-api-query.js';
import { useText } from '../text/text.js';
import { SelectField } from '../ui/index.js';
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
  const providers = useApiQuery<{ id: number; name: string }[]>({
    key: ['session-form', 'care-providers'],
    read: async ({ clinic }, signal) =>
      (await clinic.listCareProviders({ active: true, sort: 'name', limit: 200 }, { signal })).items,
  });
  const assigned = client.data?.careProviderIds ?? [];
  const options = (providers.data ?? [])
    .filter(({ id }) => assigned.includes(id))
    .map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <SelectField
      label={text.careProvider}
      isRequired
      value={value === undefined ? '' : String(value)}
      error={error}
      options={[{ value: '', label: text.chooseCareProvider }, ...options]}
      onChange={(id) => onChange(id === '' ? undefined : Number(id))}
    />
  );
}
