import type { Erasure } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import {
  Button,
  Dialog,
  Notice,
  QueryView,
  SelectField,
  Skeleton,
  TextField,
  Time,
  useHasPassed,
} from '../ui/index.js';
import {
  useErasureConfirmation,
  useErasureRequest,
  useErasureAndLegalHold,
  useLegalHoldChange,
  type ErasureReason,
  type ErasureAndLegalHold,
  type LegalHoldReason,
} from './erasure-data.js';
import { erasureText } from './erasure.text.js';

type ErasedClient = { id: number; name: string };

/** Lets the user request and confirm the erasure of a Client, or set a legal hold that prevents it. */
export function ErasureDialog({ onClose, ...client }: ErasedClient & { onClose: () => void }) {
  const text = useText(erasureText);
  const state = useErasureAndLegalHold(client.id);
  return (
    <Dialog
      title={text.dialog(client.name)}
      onClose={onClose}
      actions={<Button onClick={onClose}>{text.close}</Button>}
    >
      <QueryView of={state} skeleton={<Skeleton rows={4} />}>
        {(read) => <Content client={client} state={read} onClose={onClose} />}
      </QueryView>
    </Dialog>
  );
}

type ContentProps = { client: ErasedClient; state: ErasureAndLegalHold; onClose: () => void };

function Content({ client, state: { hold, newest, clinicTimeZone }, onClose }: ContentProps) {
  const text = useText(erasureText);
  const { id } = client;
  if (newest !== undefined && (newest.status === 'CONFIRMED' || newest.status === 'COMPLETED'))
    return <Confirmed erasure={newest} zone={clinicTimeZone} />;
  if (hold.isHeld) return <Held id={id} endedRequest={newest?.status === 'REFUSED'} />;
  return (
    <div class="stack">
      {newest?.status === 'REQUESTED' ? (
        <Requested id={id} erasure={newest} zone={clinicTimeZone} onClose={onClose} />
      ) : (
        <>
          {newest?.status === 'REFUSED' && <Notice>{text.refused}</Notice>}
          <RequestForm id={id} />
        </>
      )}
      <HoldForm id={id} endsRequest={newest?.status === 'REQUESTED'} />
    </div>
  );
}

function Confirmed({ erasure, zone }: { erasure: Erasure; zone: string }) {
  const text = useText(erasureText);
  return (
    <Notice>
      <p>{erasure.erasedAt === null ? text.confirmed : text.erased}</p>
      {erasure.status === 'CONFIRMED' && erasure.completesAt !== null && (
        <p>
          {text.completesAt} <Time at={erasure.completesAt} zone={zone} format="date" />
        </p>
      )}
    </Notice>
  );
}

function Held({ id, endedRequest }: { id: number; endedRequest: boolean }) {
  const text = useText(erasureText);
  const change = useLegalHoldChange(id);
  return (
    <Notice tone="attention">
      <p>{text.held}</p>
      {endedRequest && <p>{text.refused}</p>}
      <Button isBusy={change.isPending} onClick={() => change.mutate('LIFT')}>
        {text.lift}
      </Button>
    </Notice>
  );
}

function RequestForm({ id }: { id: number }) {
  const text = useText(erasureText);
  const [reason, setReason] = useState<ErasureReason>('SUBJECT_REQUEST');
  const [caseReference, setCase] = useState('');
  const request = useErasureRequest(id);
  return (
    <section class="stack">
      <SelectField
        label={text.reason}
        isRequired
        value={reason}
        onChange={setReason}
        options={toOptions(text.reasons)}
      />
      <TextField label={text.caseNumber} hint={text.caseHint} maxLength={40} value={caseReference} onChange={setCase} />
      <div class="row">
        <Button isBusy={request.isPending} onClick={() => request.mutate({ reason, caseReference })}>
          {text.request}
        </Button>
      </div>
    </section>
  );
}

type RequestedProps = { id: number; erasure: Erasure; zone: string; onClose: () => void };

function Requested({ id, erasure, zone, onClose }: RequestedProps) {
  const text = useText(erasureText);
  const confirmation = useErasureConfirmation(id, text.confirmed, onClose);
  const canBeConfirmed = useHasPassed(erasure.confirmableAt);
  return (
    <Notice tone="attention" title={text.whatIsErased}>
      {erasure.counts.length === 0 && <p>{text.nothingCounted}</p>}
      <ul>
        {erasure.counts.map(({ kind, count, isLowerBound }) => (
          <li key={kind}>
            {text.kinds[kind]}: {count}
            {isLowerBound && '+'}
          </li>
        ))}
      </ul>
      <p>
        {text.confirmableAt} <Time at={erasure.confirmableAt} zone={zone} /> {text.expiresAt}{' '}
        <Time at={erasure.expiresAt} zone={zone} />
      </p>
      <Button
        variant="danger"
        isBusy={confirmation.isPending}
        disabled={!canBeConfirmed}
        onClick={() => confirmation.mutate(erasure.id)}
      >
        {text.confirm}
      </Button>
    </Notice>
  );
}

function HoldForm({ id, endsRequest }: { id: number; endsRequest: boolean }) {
  const text = useText(erasureText);
  const [reason, setReason] = useState<LegalHoldReason>('LITIGATION');
  const change = useLegalHoldChange(id);
  return (
    <section class="stack">
      <h3>{text.holdTitle}</h3>
      {endsRequest && <p>{text.holdEndsRequest}</p>}
      <SelectField
        label={text.reason}
        isRequired
        value={reason}
        onChange={setReason}
        options={toOptions(text.holdReasons)}
      />
      <div class="row">
        <Button isBusy={change.isPending} onClick={() => change.mutate(reason)}>
          {text.hold}
        </Button>
      </div>
    </section>
  );
}

function toOptions<Value extends string>(labels: Readonly<Record<Value, string>>): { value: Value; label: string }[] {
  return (Object.entries(labels) as [Value, string][]).map(([value, label]) => ({ value, label }));
}
