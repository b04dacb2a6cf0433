import { isProblem, type SeriesChange } from '@care-scheduling/client';
import type { UseQueryResult } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { appearance } from '../../app/appearance.js';
import { useStore } from '../../app/store.js';
import { isConnectionProblem, toFieldErrors } from '../../data/problems.js';
import { useText } from '../../text/text.js';
import { getCurrentTime } from '../../ui/time/clock.js';
import {
  Button,
  Dialog,
  ErrorState,
  formatInstant,
  formatZone,
  Notice,
  RefusalNotice,
  SelectField,
  Skeleton,
  TextField,
  useCanAnswer,
} from '../../ui/index.js';
import { clientRecordText } from '../client-record.text.js';
import { PlannedSessions } from '../dry-run/planned-sessions.js';
import { OverlapAndWarningSummary } from '../dry-run/overlap-and-warning-summary.js';
import { scheduleChangeText } from '../dry-run/schedule-change.text.js';
import {
  MAX_SHIFT_DAYS,
  useSeriesChangeDryRun,
  useSeriesChange,
  type SeriesAction,
  type SeriesActionRequest,
} from './series-change.js';
import type { SeriesWithSessions } from '../session-groups.js';
import { describeSessionPosition } from './series-weeks.js';
import { useDebounced } from '../../data/use-debounced.js';
import { useWhileMounted } from '../../data/use-while-mounted.js';

type SeriesChangeDialogProps = { group: SeriesWithSessions; action: SeriesAction; onClose: () => void };

/** Asks for the details of a change to a series, shows its dry run, and applies it. */
export function SeriesChangeDialog({ group, action, onClose }: SeriesChangeDialogProps) {
  const text = useText(scheduleChangeText);
  const [days, setDays] = useState('7');
  const [sessionId, setSessionId] = useState(action.sessionId);
  const wanted = toRequest(group.id, { ...action, ...(sessionId !== undefined && { sessionId }) }, days);
  const request = useDebounced(JSON.stringify(wanted));
  const isValid = action.kind !== 'shift' || isShift(days);
  const delayed = JSON.parse(request) as SeriesActionRequest;
  // The delayed request can still be that of an invalid number, which counts as 0 days.
  const dryRun = useSeriesChangeDryRun(delayed, isValid && (action.kind !== 'shift' || delayed.days !== 0));
  const change = useSeriesChange({
    done: ({ sessions }) => text.changed(sessions.length),
    // The user may have closed this dialog, and opened another one.
    onDone: useWhileMounted(onClose),
    showsError: (error) => isProblem(error, 'schedule-conflict'),
  });
  // The last answer says nothing about details that have changed since.
  const isSent = JSON.stringify(change.variables?.request) === JSON.stringify(wanted);
  const overlaps = isSent && isProblem(change.error, 'schedule-conflict') ? change.error : undefined;
  const isCurrent = request === JSON.stringify(wanted) && !dryRun.isPlaceholderData && dryRun.data !== undefined;
  const canAnswer = useCanAnswer(overlaps !== undefined);
  const canConfirm = canAnswer && isValid && isCurrent && !dryRun.isError && dryRun.data.sessions.length > 0;
  const confirm = () => {
    // Overlaps that the user has seen are accepted; new ones are rejected.
    const hasSeen = overlaps !== undefined || (dryRun.data?.conflictCount ?? 0) > 0;
    const next = { request: wanted, conflicts: hasSeen ? ('report' as const) : ('reject' as const) };
    // After a lost response, the same request is repeated, and returns the result of the first one.
    change.mutate(isSent && isConnectionProblem(change.error) ? change.variables! : next);
  };
  return (
    <Dialog
      title={text.titles[action.kind]}
      size="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" isBusy={change.isPending} aria-disabled={!canConfirm} onClick={confirm}>
            {overlaps === undefined ? text.confirm[action.kind] : text.anyway}
          </Button>
        </>
      }
    >
      <p>{text.explain[action.kind]}</p>
      <Fields
        group={group}
        kind={action.kind}
        errors={isValid ? toFieldErrors(dryRun.error) : { '/days': text.daysWrong }}
        {...{ days, setDays, sessionId, setSessionId }}
      />
      {overlaps !== undefined && (
        <Notice tone="danger" title={text.overlaps(overlaps.conflictCount)}>
          {text.newOverlaps}
        </Notice>
      )}
      <div class="client-preview" aria-live="polite" aria-busy={!isCurrent && !dryRun.isError}>
        {isValid && <Preview group={group} dryRun={dryRun} />}
      </div>
    </Dialog>
  );
}

function toRequest(seriesId: string, action: SeriesAction, days: string): SeriesActionRequest {
  return { ...action, seriesId, days: isShift(days) ? Number(days) : 0 };
}

function isShift(days: string): boolean {
  return /^-?\d{1,3}$/.test(days.trim()) && Number(days) !== 0 && Math.abs(Number(days)) <= MAX_SHIFT_DAYS;
}

type FieldsProps = {
  group: SeriesWithSessions;
  kind: SeriesAction['kind'];
  errors: Readonly<Record<string, string>>;
  days: string;
  setDays: (days: string) => void;
  sessionId: number | undefined;
  setSessionId: (id: number | undefined) => void;
};

function Fields({ group, kind, errors, days, setDays, sessionId, setSessionId }: FieldsProps) {
  const text = useText(scheduleChangeText);
  const record = useText(clientRecordText);
  const { language } = useStore(appearance);
  if (kind !== 'shift' && kind !== 'skip') return null;
  const at = getCurrentTime();
  const ahead = group.sessions.filter(
    ({ status, startsAt }) => status === 'PAUSED' || (status === 'SCHEDULED' && startsAt > at),
  );
  const options = ahead.map((session, index) => ({
    value: String(session.id),
    label: `${describeSessionPosition(session, record)}, ${formatInstant(session.startsAt, session.timeZone, 'dateTime', language)} ${formatZone(session.timeZone)}${index === 0 ? ` (${text.firstAhead})` : ''}`,
  }));
  return (
    <div class="client-fields">
      {kind === 'shift' && (
        <TextField
          label={text.days}
          hint={text.daysHint}
          type="number"
          isRequired
          min={-MAX_SHIFT_DAYS}
          max={MAX_SHIFT_DAYS}
          step={1}
          value={days}
          error={errors['/days']}
          onChange={setDays}
        />
      )}
      <SelectField
        label={kind === 'skip' ? text.week : text.from}
        isRequired
        value={String(sessionId ?? ahead[0]?.id ?? '')}
        error={errors[kind === 'skip' ? '/sessionId' : '/fromSessionId']}
        options={options}
        onChange={(value) => setSessionId(Number(value))}
      />
    </div>
  );
}

type PreviewProps = { group: SeriesWithSessions; dryRun: UseQueryResult<SeriesChange> };

function Preview({ group, dryRun: { data: change, error, refetch } }: PreviewProps) {
  const text = useText(scheduleChangeText);
  if (error !== null) {
    const onRetry = () => void refetch();
    if (!isProblem(error)) return <ErrorState error={error} onRetry={onRetry} />;
    const details = error.errors.map(({ detail }) => detail);
    return <RefusalNotice tone="attention" error={error} title={text.refused} {...{ details, onRetry }} />;
  }
  if (change === undefined) return <Skeleton rows={4} />;
  if (change.sessions.length === 0)
    return (
      <Notice tone="good" title={text.nothing}>
        {text.nothingText}
      </Notice>
    );
  const before = new Map(group.sessions.map((session) => [session.id, session]));
  const books = group.sessions.flatMap((session) => session.books ?? []);
  return (
    <>
      <h3>{text.preview}</h3>
      <OverlapAndWarningSummary change={change} />
      <PlannedSessions change={change} before={before} titles={new Map(books.map(({ id, title }) => [id, title]))} />
    </>
  );
}
