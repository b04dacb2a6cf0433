import type { SessionPage } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Button, Dialog, Notice, QueryView, Skeleton, Time } from '../../ui/index.js';
import { useActivationChange, useUpcomingSessionsOfPerson } from '../directory-data.js';
import { directoryText } from '../directory.text.js';
import { getRecordLabel, type DirectoryRecord, type RecordKindName } from './record-kinds.js';

type DeactivateDialogProps = {
  kind: RecordKindName;
  record: DirectoryRecord;
  /** Called when the record has been deactivated. */
  onDone: () => void;
  onCancel: () => void;
  onHandOver: () => void;
};

/** Shows the consequences of deactivating a record, and asks for confirmation. */
export function DeactivateDialog({ kind, record, onDone, onCancel, onHandOver }: DeactivateDialogProps) {
  const text = useText(directoryText);
  const isPerson = kind === 'clients' || kind === 'careProviders';
  const sessions = useUpcomingSessionsOfPerson(kind, record.id, isPerson);
  const activation = useActivationChange(kind, () => text.deactivated, onDone);
  const hasSessions = (sessions.data?.items.length ?? 0) > 0;
  return (
    <Dialog
      title={text.deactivateTitle(getRecordLabel(record))}
      onClose={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>{text.cancel}</Button>
          {kind === 'careProviders' && hasSessions && (
            <Button icon="people" onClick={onHandOver}>
              {text.handOver}
            </Button>
          )}
          <Button
            variant="danger"
            isBusy={activation.isPending}
            disabled={isPerson && sessions.data === undefined}
            onClick={() => activation.mutate({ id: record.id, isActive: false })}
          >
            {text.deactivate}
          </Button>
        </>
      }
    >
      {isPerson ? (
        <>
          <QueryView of={sessions} skeleton={<Skeleton rows={3} />}>
            {(page) => <SessionsAhead page={page} />}
          </QueryView>
          <p>{text.deactivatePerson}</p>
          {kind === 'careProviders' && hasSessions && <p>{text.handOverFirst}</p>}
        </>
      ) : (
        <p>{kind === 'clinics' ? text.deactivateClinic : text.deactivateBook}</p>
      )}
    </Dialog>
  );
}

function SessionsAhead({ page: { items, count } }: { page: SessionPage }) {
  const text = useText(directoryText);
  const total = count?.value ?? items.length;
  if (items.length === 0) return <Notice>{text.noSessionsAhead}</Notice>;
  return (
    <Notice tone="attention" title={text.sessionsAhead(total)}>
      <ul class="directory-sessions">
        {items.map(({ id, title, startsAt, timeZone, client, careProvider }) => (
          <li key={id}>
            <Time at={startsAt} zone={timeZone} /> · {title} · {(client ?? careProvider)?.name}
          </li>
        ))}
        {total > items.length && <li>{text.andMore(total - items.length)}</li>}
      </ul>
    </Notice>
  );
}
