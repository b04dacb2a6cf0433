import type { CancelSession, WeekSession } from '@care-scheduling/client';
import { useRef, useState } from 'preact/hooks';
import { EntryLossConfirmation } from '../../app/leave-confirmation.js';
import { runAfterLeaveConfirmation } from '../../app/leave-guard.js';
import { useText } from '../../text/text.js';
import { Button, Dialog, SelectField, TextAreaField, Time } from '../../ui/index.js';
import { ScopeField } from '../move/scope-field.js';
import type { ChangeScope } from '../session-times.js';
import { weekText } from '../week.text.js';

const REASONS = [
  'CLIENT_REQUEST',
  'CARE_PROVIDER_REQUEST',
  'ILLNESS',
  'SCHEDULING_ERROR',
  'TREATMENT_ENDED',
  'OTHER',
] as const;
/** In code points, the unit of the service. The attribute `maxlength` counts an emoji as two or more characters. */
const MAX_NOTE = 500;

type CancelProps = {
  session: WeekSession;
  weekZone: string;
  onCancel: (scope: ChangeScope, body: CancelSession) => void;
  onClose: () => void;
};

/** Asks for the reason of a cancellation, and whether the rest of the series is cancelled as well. */
export function CancelDialog({ session, weekZone, onCancel, onClose }: CancelProps) {
  const text = useText(weekText);
  const [reason, setReason] = useState<CancelSession['reason']>('CLIENT_REQUEST');
  const [note, setNote] = useState('');
  const [scope, setScope] = useState<ChangeScope>('this');
  const noteField = useRef<HTMLDivElement>(null);
  const tooMany = Array.from(note.trim()).length - MAX_NOTE;
  const cancel = () => {
    if (tooMany > 0) noteField.current?.querySelector('textarea')?.focus();
    else onCancel(scope, { reason, ...(note.trim() !== '' && { note: note.trim() }) });
  };
  return (
    <Dialog
      title={`${text.cancelTitle} · ${session.client.name}`}
      onClose={() => runAfterLeaveConfirmation(onClose)}
      actions={
        <>
          <Button onClick={onClose}>{text.keep}</Button>
          <Button variant="danger" onClick={cancel}>
            {scope === 'this' ? text.cancelNow : text.cancelNowMany}
          </Button>
        </>
      }
    >
      <EntryLossConfirmation isActive={note.trim() !== ''} />
      <p>
        {session.title} · <Time at={session.startsAt} to={session.endsAt} zone={weekZone} />
      </p>
      <p>{scope === 'this' ? text.cancelText : text.cancelTextMany}</p>
      <SelectField
        label={text.reason}
        value={reason}
        onChange={setReason}
        isRequired
        options={REASONS.map((value) => ({ value, label: text.reasons[value] }))}
      />
      <ScopeField value={scope} onChange={setScope} />
      <div ref={noteField}>
        <TextAreaField
          label={text.note}
          value={note}
          onChange={setNote}
          rows={2}
          error={tooMany > 0 ? text.noteTooLong(MAX_NOTE, tooMany) : undefined}
        />
      </div>
    </Dialog>
  );
}
