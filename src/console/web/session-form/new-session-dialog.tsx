import { isProblem, type SeriesChange } from '@care-scheduling/client';
import { useRef, useState } from 'preact/hooks';
import { EntryLossConfirmation } from '../app/leave-confirmation.js';
import { runAfterLeaveConfirmation } from '../app/leave-guard.js';
import type { StaffClientView } from '../client-record/client-record-data.js';
import { createIdempotencyKey } from '../data/idempotency-key.js';
import { isClinicSignedIn } from '../data/staff-api.js';
import { isConnectionProblem, toFieldErrors } from '../data/problems.js';
import { SESSION_QUERY_KEYS } from '../data/session-query-keys.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useWhileMounted } from '../data/use-while-mounted.js';
import { useText } from '../text/text.js';
import { getToday } from '../ui/time/clock.js';
import { Button, Dialog, SegmentedControl, TextField, useCanAnswer } from '../ui/index.js';
import { CareProviderField } from './care-provider-field.js';
import { CreationProblemNotice } from './creation-problem-notice.js';
import { checkNewSession, toSessionRequest, type NewSessionFormValues } from './new-session.js';
import { sessionFormText } from './session-form.text.js';
import { useSessionTimesErrorMessages, SessionTimesFields } from './session-times-fields.js';
import { validateSessionTimes, createInitialSessionTimes } from './session-times.js';
import { getDeviceZone } from './zone-offset.js';

const SHOWN = [
  '/title',
  '/date',
  '/time',
  '/durationMinutes',
  '/sessionCount',
  '/caregiverId',
  '/offset',
  '/reminders',
];

/** Lets the user create one Session without a plan, or several Sessions at the same time of the week. */
export function NewSessionDialog({ client, onClose }: { client: StaffClientView; onClose: () => void }) {
  const text = useText(sessionFormText);
  const form = useRef<HTMLFormElement>(null);
  const [initial] = useState<NewSessionFormValues>(() => ({
    ...{ title: '', repeat: 'once', count: '4', caregiverId: undefined },
    when: createInitialSessionTimes(getToday(client.timeZone ?? getDeviceZone())),
  }));
  const [draft, setDraft] = useState(initial);
  const [isChecked, setChecked] = useState(false);
  const creation = useCreation(client, onClose);
  const [wrong, found] = [checkNewSession(draft, isClinicSignedIn()), validateSessionTimes(draft.when)];
  const errors = useSessionTimesErrorMessages(isChecked ? found : {}, toFieldErrors(creation.error));
  const isOverlap = isProblem(creation.error, 'schedule-conflict');
  const set = (change: Partial<NewSessionFormValues>) => {
    creation.reset();
    setDraft({ ...draft, ...change });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setChecked(true);
    // After a lost response, the same request is repeated, and returns the result of the first one.
    if (isConnectionProblem(creation.error)) creation.mutate(creation.variables!);
    else if (Object.keys({ ...wrong, ...found }).length === 0)
      creation.mutate({ draft, conflicts: isOverlap ? 'report' : 'reject' });
    else requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  };
  return (
    <Dialog
      title={`${text.newSession}: ${client.name}`}
      onClose={() => runAfterLeaveConfirmation(onClose)}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <CreateButton isOverlap={isOverlap} isBusy={creation.isPending} />
        </>
      }
    >
      <EntryLossConfirmation isActive={draft !== initial && !creation.isPending} />
      <form id="new-session" ref={form} class="stack" noValidate onSubmit={submit}>
        <CreationProblemNotice error={creation.error} clientId={client.id} shown={SHOWN} onOpenClient={onClose} />
        <TextField
          label={text.title}
          isRequired
          maxLength={200}
          value={draft.title}
          error={isChecked && wrong.title ? text.missing : errors['/title']}
          onChange={(title) => set({ title })}
        />
        {isClinicSignedIn() && (
          <CareProviderField
            clientId={client.id}
            value={draft.caregiverId}
            error={isChecked && wrong.caregiverId ? text.missing : errors['/caregiverId']}
            onChange={(caregiverId) => set({ caregiverId })}
          />
        )}
        <Repeat value={draft.repeat} onChange={(repeat) => set({ repeat })} />
        <SessionTimesFields
          when={draft.when}
          errors={errors}
          clientZone={client.timeZone}
          showsInterval={false}
          onChange={(when) => set({ when })}
        >
          {draft.repeat !== 'once' && (
            <TextField
              label={text.sessions}
              type="number"
              isRequired
              min={2}
              max={100}
              value={draft.count}
              error={isChecked && wrong.count ? text.sessionsWrong : errors['/sessionCount']}
              onChange={(count) => set({ count })}
            />
          )}
        </SessionTimesFields>
      </form>
    </Dialog>
  );
}

/** Creates the Sessions, also those that overlap others if the user has read about them. */
function CreateButton({ isOverlap, isBusy }: { isOverlap: boolean; isBusy: boolean }) {
  const text = useText(sessionFormText);
  const canAnswer = useCanAnswer(isOverlap);
  return (
    <Button variant="primary" type="submit" form="new-session" isBusy={isBusy} aria-disabled={!canAnswer}>
      {isOverlap ? text.createAnyway : text.create}
    </Button>
  );
}

type RepeatProps = {
  value: NewSessionFormValues['repeat'];
  onChange: (repeat: NewSessionFormValues['repeat']) => void;
};

function Repeat({ value, onChange }: RepeatProps) {
  const text = useText(sessionFormText);
  const options = (['once', 'weekly', 'twoWeeks'] as const).map((one) => ({ value: one, label: text.counts[one] }));
  return <SegmentedControl label={text.count} value={value} options={options} onChange={onChange} />;
}

function useCreation(client: StaffClientView, onClose: () => void) {
  const text = useText(sessionFormText);
  // Because of this key, a request that is repeated after a lost response creates nothing twice.
  const [idempotencyKey] = useState(createIdempotencyKey);
  return useApiMutation<{ draft: NewSessionFormValues; conflicts: 'report' | 'reject' }, SeriesChange>({
    change: ({ clinic, careProvider }, { draft, conflicts }) => {
      const { offset, body } = toSessionRequest(draft, client);
      const input = { conflicts, ...(offset !== undefined && { offset }) };
      return isClinicSignedIn()
        ? clinic.createSessions({ ...input, body: { ...body, caregiverId: draft.caregiverId! } }, { idempotencyKey })
        : careProvider.createSessions({ ...input, body, prefer: 'return=representation' }, { idempotencyKey });
    },
    refreshes: SESSION_QUERY_KEYS,
    showsError: (error) => isProblem(error) || isConnectionProblem(error),
    done: ({ sessions }) => (sessions.length === 1 ? text.created : text.createdMany),
    // The user may have closed this dialog, and opened another one.
    onDone: useWhileMounted(onClose),
  });
}
