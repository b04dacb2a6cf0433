import './client-record.css';
import type { Session } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import {
  Button,
  EmptyState,
  formatFullZone,
  Icon,
  Page,
  QueryView,
  Skeleton,
  Table,
  TextField,
  Time,
} from '../ui/index.js';
import {
  useClients,
  useNextSessions,
  type NextSessions,
  type StaffClientView,
  type StaffClientList,
} from './client-record-data.js';
import { clientRecordText } from './client-record.text.js';
import { isClinicSignedIn } from '../data/staff-api.js';
import { useDebounced } from '../data/use-debounced.js';

const UNKNOWN: NextSessions = new Map();

/** A page with a searchable list of the caller's Clients. */
export default function ClientsPage() {
  const text = useText(clientRecordText);
  const [name, setName] = useState('');
  const [pages, setPages] = useState(1);
  const clients = useClients(useDebounced(name.trim()), pages);
  const next = useNextSessions(clients.data?.items.map(({ id }) => id) ?? []);
  const change = (value: string) => {
    setName(value);
    setPages(1);
  };
  return (
    <Page title={text.clients} intro={isClinicSignedIn() ? text.clientsIntroOfClinic : text.clientsIntro}>
      <div class="clients-search">
        <Icon name="search" size={18} />
        <TextField label={text.search} isRequired type="search" autocomplete="off" value={name} onChange={change} />
      </div>
      <QueryView of={clients} skeleton={<Skeleton rows={4} shape="card" />}>
        {(found) => (
          <Found
            found={found}
            isSearch={name.trim() !== ''}
            next={next.data ?? UNKNOWN}
            onMore={() => setPages(pages + 1)}
          />
        )}
      </QueryView>
      {/* The column of the next Sessions is empty then. */}
      {next.isError && <QueryView of={next}>{() => null}</QueryView>}
    </Page>
  );
}

type FoundProps = { found: StaffClientList; isSearch: boolean; next: NextSessions; onMore: () => void };

function Found({ found: { items, nextCursor }, isSearch, next, onMore }: FoundProps) {
  const text = useText(clientRecordText);
  return (
    <>
      <p class="visually-hidden" role="status">
        {text.found(items.length)}
      </p>
      {items.length === 0 ? (
        <EmptyState icon={isSearch ? 'search' : 'people'} title={isSearch ? text.noMatch : text.noClients}>
          {isSearch ? text.noMatchText : isClinicSignedIn() ? text.noClientsTextOfClinic : text.noClientsText}
        </EmptyState>
      ) : (
        <div class="card clients-card">
          <Table
            caption={text.clients}
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              { key: 'name', header: text.name, cell: (client) => <NameCell client={client} /> },
              { key: 'next', header: text.next, cell: ({ id }) => <NextCell session={next.get(id)} /> },
            ]}
          />
        </div>
      )}
      {nextCursor !== null && (
        <div class="row">
          <Button onClick={onMore}>{text.more}</Button>
        </div>
      )}
    </>
  );
}

function NameCell({ client: { id, name, timeZone } }: { client: StaffClientView }) {
  const text = useText(clientRecordText);
  return (
    <div>
      <a class="clients-name" href={`#/client/${id}`}>
        {name}
      </a>
      <span class="clients-zone small quiet">
        {timeZone === null ? text.livesAtClinic : text.lives(formatFullZone(timeZone))}
      </span>
    </div>
  );
}

function NextCell({ session }: { session: Session | null | undefined }) {
  const text = useText(clientRecordText);
  if (session === undefined) return null;
  if (session === null) return <span class="quiet">{text.noNext}</span>;
  return (
    <div>
      <Time at={session.startsAt} zone={session.timeZone} />
      <span class="clients-zone small quiet">{session.title}</span>
    </div>
  );
}
