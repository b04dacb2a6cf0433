import { useEffect, useRef, useState } from 'preact/hooks';
import { EntryLossConfirmation } from '../../app/leave-confirmation.js';
import { runAfterLeaveConfirmation } from '../../app/leave-guard.js';
import { listErrorsOutsideForm, toFieldErrors } from '../../data/problems.js';
import { useText } from '../../text/text.js';
import { Button, ConflictDialog, Dialog, ErrorState, Notice } from '../../ui/index.js';
import { isProblem } from '@care-scheduling/client';
import { AssignedCareProvidersField } from '../assignment/assigned-care-providers-field.js';
import { DeactivateDialog } from './deactivate-dialog.js';
import { RecordConflictError, useActivationChange, useSaveRecord } from '../directory-data.js';
import { directoryText } from '../directory.text.js';
import { HandOverDialog } from '../assignment/hand-over-dialog.js';
import { RecordFields } from './record-fields.js';
import { getAssignedCareProviderIds } from './record-table.js';
import { getRecordLabel, RECORD_KINDS, type DirectoryRecord, type RecordKindName } from './record-kinds.js';
import { findRecordChanges, readRecordField, toCreateRecordBody, toFormValues } from './record-values.js';

type RecordAction = 'deactivate' | 'hand-over';

type RecordDialogProps = { kind: RecordKindName; record?: DirectoryRecord; onClose: () => void };

/** The form with which the user creates or changes a record. */
export function RecordDialog({ kind, record, onClose }: RecordDialogProps) {
  const text = useText(directoryText);
  const { fields, required } = RECORD_KINDS[kind];
  const form = useRef<HTMLFormElement>(null);
  const [attempts, setAttempts] = useState(0);
  const [initial] = useState(() => toFormValues(fields, record));
  const [values, setValues] = useState(initial);
  const [action, setAction] = useState<RecordAction>();
  const [assigned, setAssigned] = useState<ReadonlySet<number>>(() => new Set(getAssignedCareProviderIds(record)));
  const save = useSaveRecord(kind, () => (record === undefined ? text.created : text.saved), onClose);
  const changes = record === undefined ? toCreateRecordBody(values) : findRecordChanges(values, record);
  const missing = required.filter((field) => values[field]?.trim() === '');
  const submit = (seen = record) => {
    setAttempts(attempts + 1);
    if (missing.length > 0) return;
    if (seen === undefined) save.mutate({ changes });
    else if (Object.keys(changes).length === 0) onClose();
    else save.mutate({ seen, changes });
  };
  // Moves the focus to the first invalid field after each attempt to save.
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [save.error, attempts]);
  if (record !== undefined && action !== undefined)
    return <ActionDialog kind={kind} record={record} action={action} onAction={setAction} onDone={onClose} />;
  if (save.error instanceof RecordConflictError)
    return (
      <ConflictDialog
        fields={save.error.fields.map((field) => ({
          label: text.fields[field],
          theirs: readRecordField((save.error as RecordConflictError).saved, field),
          yours: changes[field],
        }))}
        isBusy={save.isPending}
        onKeepTheirs={onClose}
        onSaveYours={() => submit((save.error as RecordConflictError).saved)}
        // The form is shown again, so that nothing is lost that the user has entered.
        onClose={() => save.reset()}
      />
    );
  const refused = Object.entries(toFieldErrors(save.error)).map(([pointer, detail]) => [pointer.slice(1), detail]);
  const errors = Object.fromEntries([
    ...refused,
    ...(attempts > 0 ? missing : []).map((field) => [field, text.missing]),
  ]) as Record<string, string>;
  return (
    <Dialog
      title={record === undefined ? text.add(text.one[kind]) : getRecordLabel(record)}
      onClose={() => runAfterLeaveConfirmation(onClose)}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" form="directory-form" isBusy={save.isPending}>
            {text.save}
          </Button>
        </>
      }
    >
      <EntryLossConfirmation isActive={values !== initial && !save.isPending} />
      <form
        ref={form}
        id="directory-form"
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) submit();
        }}
      >
        <FormErrors error={save.error} shown={fields.map((field) => `/${field}`)} />
        <RecordFields
          kind={kind}
          values={values}
          errors={errors}
          onChange={(change) => setValues({ ...values, ...change })}
        />
      </form>
      {record !== undefined && kind === 'clients' && (
        <AssignedCareProvidersField client={record} assigned={assigned} setAssigned={setAssigned} />
      )}
      {record !== undefined && <RecordActions kind={kind} record={record} onAction={setAction} onClose={onClose} />}
    </Dialog>
  );
}

type ActionDialogProps = {
  kind: RecordKindName;
  record: DirectoryRecord;
  action: RecordAction;
  onAction: (action: RecordAction | undefined) => void;
  onDone: () => void;
};

function ActionDialog({ kind, record, action, onAction, onDone }: ActionDialogProps) {
  // The form is shown again with the values that the user has entered.
  const cancel = () => onAction(undefined);
  if (action === 'hand-over') return <HandOverDialog careProvider={record} onDone={onDone} onCancel={cancel} />;
  return <DeactivateDialog {...{ kind, record, onDone }} onCancel={cancel} onHandOver={() => onAction('hand-over')} />;
}

/** Shows errors that belong to no visible field. */
function FormErrors({ error, shown }: { error: Error | null; shown: readonly string[] }) {
  if (error === null) return null;
  const others = listErrorsOutsideForm(error, shown);
  if (isProblem(error) && error.errors.length > 0 && others.length === 0) return null;
  if (others.length === 0) return <ErrorState error={error} />;
  return (
    <Notice tone="danger">
      {others.map((detail) => (
        // The service writes in English.
        <p key={detail} lang="en">
          {detail}
        </p>
      ))}
    </Notice>
  );
}

type ActionsProps = {
  kind: RecordKindName;
  record: DirectoryRecord;
  onAction: (action: RecordAction) => void;
  onClose: () => void;
};

function RecordActions({ kind, record, onAction, onClose }: ActionsProps) {
  const text = useText(directoryText);
  const activation = useActivationChange(kind, () => text.activated, onClose);
  return (
    <div class="row directory-more">
      {kind === 'careProviders' && (
        <Button size="small" icon="people" onClick={() => onAction('hand-over')}>
          {text.handOver}
        </Button>
      )}
      {record.active ? (
        <Button size="small" variant="danger" onClick={() => onAction('deactivate')}>
          {text.deactivate}
        </Button>
      ) : (
        <Button
          size="small"
          icon="undo"
          isBusy={activation.isPending}
          onClick={() => activation.mutate({ id: record.id, isActive: true })}
        >
          {text.activate}
        </Button>
      )}
    </div>
  );
}
