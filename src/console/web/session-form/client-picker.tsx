import './session-form.css';
import { useId, useState } from 'preact/hooks';
import { useClient, useClients, type StaffClientView } from '../client-record/client-record-data.js';
import { useDebounced } from '../data/use-debounced.js';
import { useText } from '../text/text.js';
import { Button, formatFullZone, Icon, QueryView, Skeleton, TextField } from '../ui/index.js';
import { sessionFormText } from './session-form.text.js';

const MAX_SHOWN = 8;

type ClientPickerProps = {
  clientId: number | undefined;
  onChange: (id: number | undefined) => void;
  error: string | undefined;
};

/** Lets the user choose a Client by name. */
export function ClientPicker({ clientId, onChange, error }: ClientPickerProps) {
  const text = useText(sessionFormText);
  const errorId = useId();
  return (
    <fieldset class="session-form-client" aria-describedby={error === undefined ? undefined : errorId}>
      <legend class="field-label">{text.client}</legend>
      {clientId === undefined ? <Choice onChange={onChange} /> : <Chosen clientId={clientId} onChange={onChange} />}
      {error !== undefined && (
        <p id={errorId} class="field-error">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Chosen({ clientId, onChange }: { clientId: number; onChange: ClientPickerProps['onChange'] }) {
  const text = useText(sessionFormText);
  const client = useClient(clientId);
  const another = (
    <Button size="small" onClick={() => onChange(undefined)}>
      {text.another}
    </Button>
  );
  return (
    <>
      <QueryView of={client} skeleton={<Skeleton rows={1} />}>
        {({ name, timeZone }) => (
          <div class="session-form-chosen">
            <Icon name="person" />
            <p>
              <strong>{name}</strong>
              {timeZone !== null && <span class="quiet small"> {formatFullZone(timeZone)}</span>}
            </p>
            {another}
          </div>
        )}
      </QueryView>
      {client.isError && client.data === undefined && another}
    </>
  );
}

function Choice({ onChange }: { onChange: ClientPickerProps['onChange'] }) {
  const text = useText(sessionFormText);
  const [name, setName] = useState('');
  const clients = useClients(useDebounced(name.trim()));
  return (
    <>
      <TextField label={text.search} isRequired type="search" autocomplete="off" value={name} onChange={setName} />
      <QueryView of={clients} skeleton={<Skeleton rows={3} />}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 && (
              <p class="quiet" role="status">
                {text.noMatch}
              </p>
            )}
            <ul class="session-form-choices">
              {items.slice(0, MAX_SHOWN).map((client) => (
                <ClientChoice key={client.id} client={client} onChoose={() => onChange(client.id)} />
              ))}
            </ul>
            {(nextCursor !== null || items.length > MAX_SHOWN) && <p class="small quiet">{text.moreClients}</p>}
          </>
        )}
      </QueryView>
    </>
  );
}

function ClientChoice({ client: { name, timeZone }, onChoose }: { client: StaffClientView; onChoose: () => void }) {
  return (
    <li>
      <button type="button" class="session-form-choice" onClick={onChoose}>
        <Icon name="person" />
        <span>
          {name}
          {timeZone !== null && <span class="quiet small"> {formatFullZone(timeZone)}</span>}
        </span>
      </button>
    </li>
  );
}
