import { useState } from 'preact/hooks';
import { useDebounced } from '../../data/use-debounced.js';
import { useText } from '../../text/text.js';
import { CheckboxField, QueryView, TextField } from '../../ui/index.js';
import { useAssignedClients } from '../directory-data.js';
import { directoryText } from '../directory.text.js';

type AssignedClientsFieldProps = {
  careProviderId: number;
  chosen: ReadonlySet<number>;
  onChange: (chosen: ReadonlySet<number>) => void;
};

/** Lets the user choose some of the Clients of a Care Provider. */
export function AssignedClientsField({ careProviderId, chosen, onChange }: AssignedClientsFieldProps) {
  const text = useText(directoryText);
  const [search, setSearch] = useState('');
  const clients = useAssignedClients(careProviderId, useDebounced(search.trim()));
  const set = (id: number, isOn: boolean) =>
    onChange(new Set(isOn ? [...chosen, id] : [...chosen].filter((one) => one !== id)));
  return (
    <fieldset class="directory-assignments">
      <legend class="field-label">{text.handOverWhom(chosen.size)}</legend>
      <TextField label={text.search} type="search" isRequired value={search} onChange={setSearch} />
      <QueryView of={clients}>
        {({ items, isPart }) => (
          <>
            {items.map(({ id, name }) => (
              <CheckboxField key={id} label={name} checked={chosen.has(id)} onChange={(isOn) => set(id, isOn)} />
            ))}
            {items.length === 0 && <p role="status">{text.nobody}</p>}
            {isPart && <p class="field-hint">{text.searchForMore}</p>}
          </>
        )}
      </QueryView>
    </fieldset>
  );
}
