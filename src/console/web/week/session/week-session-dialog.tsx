import type { SeriesChange, WeekSession } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { getText, useText } from '../../text/text.js';
import { Badge, Button, Dialog, Icon, Notice, saveFile, Time, useHasPassed } from '../../ui/index.js';
import { isMovable, SESSION_STATUS_ICONS, SESSION_STATUS_TONES } from '../session-marks.js';
import { useCalendarFileDownload, useStatusChange, type StatusChange, type WeekSelection } from '../week-data.js';
import { weekText } from '../week.text.js';
import { CancelDialog } from './cancel-dialog.js';
import { SessionDigest } from './session-digest.js';
import { SessionHomework, SessionReminders } from './session-homework.js';

type DialogProps = {
  session: WeekSession;
  selection: WeekSelection;
  weekZone: string;
  onMove: () => void;
  onClose: () => void;
};

/** Shows a Session: participants, time, homework, reminders and the available actions. */
export function WeekSessionDialog({ session, selection, weekZone, onMove, onClose }: DialogProps) {
  const text = useText(weekText);
  const [isCancelling, setCancelling] = useState(false);
  const step = useStatusChange({ selection, done: describeStep, findWarning });
  const { client, careProvider, title, status } = session;
  // The dialog closes immediately. The board shows the new status, and a message confirms it.
  const run = (next: StatusChange) => {
    step.mutate(next);
    onClose();
  };
  if (isCancelling)
    return (
      <CancelDialog
        session={session}
        weekZone={weekZone}
        onCancel={(scope, body) => run({ kind: 'cancel', session, scope, body })}
        onClose={() => setCancelling(false)}
      />
    );
  return (
    <Dialog
      title={client.name}
      onClose={onClose}
      actions={<SessionActions session={session} onStep={run} onMove={onMove} onCancel={() => setCancelling(true)} />}
    >
      <div class="week-facts">
        <p class="week-facts-title">
          {title}
          <span class="quiet"> · {careProvider.name}</span>
        </p>
        <p>
          <Time at={session.startsAt} to={session.endsAt} zone={weekZone} />
        </p>
        {session.timeZone !== weekZone && (
          <p class="small quiet">
            <Time at={session.startsAt} to={session.endsAt} zone={session.timeZone} />
          </p>
        )}
        <p>
          <Badge tone={SESSION_STATUS_TONES[status]}>
            <Icon name={SESSION_STATUS_ICONS[status]} size={14} /> {text.statuses[status]}
          </Badge>
        </p>
      </div>
      <Overlaps session={session} weekZone={weekZone} />
      <SessionHomework session={session} weekZone={weekZone} />
      <SessionReminders session={session} />
      <SessionDigest session={session} weekZone={weekZone} />
    </Dialog>
  );
}

function Overlaps({ session: { conflicts }, weekZone }: { session: WeekSession; weekZone: string }) {
  const text = useText(weekText);
  if (conflicts.length === 0) return null;
  return (
    <Notice tone="attention" title={conflicts.length === 1 ? text.overlap : text.overlaps}>
      <ul class="week-plain small">
        {conflicts.map(({ otherSessionId, otherStartsAt, otherEndsAt, with: kind }) => (
          <li key={otherSessionId}>
            {text.overlapWith[kind]}: <Time at={otherStartsAt} to={otherEndsAt} zone={weekZone} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

type ActionsProps = {
  session: WeekSession;
  onStep: (step: StatusChange) => void;
  onMove: () => void;
  onCancel: () => void;
};

/** Shows buttons for the actions that the status of the Session allows. */
function SessionActions({ session, onStep, onMove, onCancel }: ActionsProps) {
  const text = useText(weekText);
  const { id, status } = session;
  const file = useCalendarFileDownload((content) =>
    saveFile('appointment.ics', new Blob([content], { type: 'text/calendar' })),
  );
  const hasStarted = useHasPassed(session.startsAt);
  const canEnd = status === 'SCHEDULED' && hasStarted;
  const canUndo = status === 'COMPLETED' || status === 'NO_SHOW' || status === 'CANCELLED';
  return (
    <>
      <Button variant="quiet" icon="download" isBusy={file.isPending} onClick={() => file.mutate(id)}>
        {text.calendarFile}
      </Button>
      {isMovable(session) && (
        <Button variant="danger" onClick={onCancel}>
          {text.cancel}
        </Button>
      )}
      {isMovable(session) && (
        <Button icon="move" onClick={onMove}>
          {text.move}
        </Button>
      )}
      {canEnd && (
        <Button icon="absent" onClick={() => onStep({ kind: 'no-show', session })}>
          {text.noShow}
        </Button>
      )}
      {canEnd && (
        <Button variant="primary" icon="check" onClick={() => onStep({ kind: 'complete', session })}>
          {text.complete}
        </Button>
      )}
      {canUndo && (
        <Button icon="undo" title={text.undoHint} onClick={() => onStep({ kind: 'undo', session })}>
          {text.undo}
        </Button>
      )}
    </>
  );
}

function describeStep(step: StatusChange): string {
  const text = getText(weekText);
  const { name } = step.session.client;
  if (step.kind === 'cancel') return step.scope === 'this' ? text.cancelled(name) : text.cancelledMany(name);
  if (step.kind === 'complete') return text.completed(name);
  return step.kind === 'no-show' ? text.missed(name) : text.undone(name);
}

function findWarning({ conflictCount, warnings }: SeriesChange): string | undefined {
  const text = getText(weekText);
  if (conflictCount > 0) return text.conflictsFound(conflictCount);
  const isUntold = warnings.some(({ kind }) => kind === 'NOT_TOLD_OF_CANCELLATION');
  return isUntold ? `${text.warningKinds.NOT_TOLD_OF_CANCELLATION}.` : undefined;
}
