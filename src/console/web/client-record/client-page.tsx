import './client-record.css';
import { useState } from 'preact/hooks';
import type { PageProps } from '../app/page-props.js';
import { ClientExportCard } from '../client-export/client-export-card.js';
import { ClientErasureCard } from '../erasure/client-erasure-card.js';
import { useText } from '../text/text.js';
import { Button, ButtonLink, EmptyState, formatFullZone, Page, QueryView, Skeleton } from '../ui/index.js';
import {
  useClient,
  useNextSession,
  useSeriesOfClient,
  useSessionsOfClient,
  type StaffClientView,
} from './client-record-data.js';
import { clientRecordText } from './client-record.text.js';
import { NewSessionDialog } from '../session-form/new-session-dialog.js';
import { NextSession } from './next-session.js';
import { RecentReminders } from './recent-reminders.js';
import { SeriesCard } from './series/series-card.js';
import { isClinicSignedIn } from '../data/staff-api.js';
import { findNextSession, groupSessionsBySeries } from './session-groups.js';

/** The page of a Client, with the next Session, the series week by week, and recent reminders. */
export default function ClientPage({ params, query }: PageProps) {
  const text = useText(clientRecordText);
  const client = useClient(Number(params['id']));
  if (client.data === undefined)
    return (
      <Page title={text.oneClient}>
        <QueryView of={client} skeleton={<Skeleton rows={4} shape="card" />}>
          {() => null}
        </QueryView>
      </Page>
    );
  return <Record key={client.data.id} client={client.data} createdSeriesId={query.get('series')} />;
}

function Record({ client, createdSeriesId }: { client: StaffClientView; createdSeriesId: string | null }) {
  const text = useText(clientRecordText);
  const { id, name, timeZone, active, hasEmail } = client;
  const facts = [
    timeZone === null ? text.livesAtClinic : text.lives(formatFullZone(timeZone)),
    !active && text.inactive,
  ];
  return (
    <Page
      title={name}
      tabTitle={text.oneClient}
      intro={[...facts, !hasEmail && text.noEmail].filter(Boolean).join(' · ')}
      actions={active && <Actions client={client} />}
    >
      <Sessions client={client} createdSeriesId={createdSeriesId} />
      <RecentReminders clientId={id} zone={timeZone} />
      {isClinicSignedIn() && <ClientExportCard clientId={id} />}
      {isClinicSignedIn() && <ClientErasureCard id={id} name={name} />}
    </Page>
  );
}

function Actions({ client }: { client: StaffClientView }) {
  const text = useText(clientRecordText);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="plus" onClick={() => setOpen(true)}>
        {text.newSession}
      </Button>
      <ButtonLink variant="primary" icon="book" href={`#/apply-plan?client=${client.id}`}>
        {text.applyPlan}
      </ButtonLink>
      {isOpen && <NewSessionDialog client={client} onClose={() => setOpen(false)} />}
    </>
  );
}

function Sessions({ client, createdSeriesId }: { client: StaffClientView; createdSeriesId: string | null }) {
  const text = useText(clientRecordText);
  const [pages, setPages] = useState(1);
  const sessions = useSessionsOfClient(client.id, pages);
  const series = useSeriesOfClient(client.id);
  // If all loaded Sessions are in the future, the next one may be on a later page.
  const oldest = sessions.data?.items.at(-1);
  const isPart = sessions.data?.nextCursor != null && oldest !== undefined && oldest.startsAt > sessions.data.readAt;
  const next = useNextSession(client.id, isPart);
  return (
    <QueryView of={sessions} skeleton={<Skeleton rows={3} shape="card" />}>
      {({ items, nextCursor, readAt }) => {
        if (items.length === 0)
          return (
            <EmptyState icon="calendar" title={text.noSessions}>
              {text.noSessionsText}
            </EmptyState>
          );
        const hasPaused = items.some(({ status }) => status === 'PAUSED');
        return (
          <>
            {isPart ? (
              <QueryView of={next} skeleton={<Skeleton rows={1} shape="card" />}>
                {(session) => <NextSession session={session ?? undefined} hasPaused={hasPaused} />}
              </QueryView>
            ) : (
              <NextSession session={findNextSession(items, readAt)} hasPaused={hasPaused} />
            )}
            <QueryView of={series} skeleton={<Skeleton rows={2} shape="card" />}>
              {(known) =>
                groupSessionsBySeries(items, known).map((group) => (
                  <SeriesCard key={group.id} group={group} isCreated={group.id === createdSeriesId} />
                ))
              }
            </QueryView>
            {nextCursor !== null && (
              <div class="row">
                <Button onClick={() => setPages(pages + 1)}>{text.earlier}</Button>
              </div>
            )}
          </>
        );
      }}
    </QueryView>
  );
}
