import type { SeriesChange, Session } from '@care-scheduling/client';
import { SESSION_QUERY_KEYS } from '../../data/session-query-keys.js';
import { getSeenVersion, rememberVersion } from '../../data/session-versions.js';
import { useApiMutation } from '../../data/use-api-mutation.js';
import { useWhileMounted } from '../../data/use-while-mounted.js';
import { useText } from '../../text/text.js';
import { getCurrentTime } from '../../ui/time/clock.js';
import { Badge, Button, Dialog, Icon, Progress, Time, useHasPassed } from '../../ui/index.js';
import { clientRecordText } from '../client-record.text.js';
import { SESSION_DISPLAY_ICONS, toSessionDisplayStatus, SESSION_DISPLAY_TONES } from '../session-display.js';
import { scheduleChangeText } from '../dry-run/schedule-change.text.js';
import type { SeriesAction } from './series-change.js';
import { describeSessionPosition } from './series-weeks.js';
import { getStaffApi } from '../../data/staff-api.js';

type SessionDialogProps = {
  session: Session;
  /** Whether the caller may move the rest of the series. */
  canMove: boolean;
  onAction: (action: SeriesAction) => void;
  onClose: () => void;
};

/** Shows one Session of a series, with the available actions. */
export function SeriesSessionDialog({ session, canMove, onAction, onClose }: SessionDialogProps) {
  const text = useText(clientRecordText);
  const { title, startsAt, endsAt, timeZone, durationMinutes, cancellation, careProvider } = session;
  const look = toSessionDisplayStatus(session, getCurrentTime());
  return (
    <Dialog
      title={`${title}, ${describeSessionPosition(session, text)}`}
      onClose={onClose}
      actions={<Actions session={session} canMove={canMove} onAction={onAction} onClose={onClose} />}
    >
      <p class="client-next-time">
        <Time at={startsAt} to={endsAt} zone={timeZone} />
      </p>
      <p class="row small">
        <Badge tone={SESSION_DISPLAY_TONES[look]}>
          <Icon name={SESSION_DISPLAY_ICONS[look]} size={14} /> {text.statuses[look]}
        </Badge>
        <span class="quiet">
          {text.minutes(durationMinutes)}
          {careProvider !== undefined && ` ${text.withProvider(careProvider.name)}`}
        </span>
      </p>
      {session.description !== null && <p class="multi-line">{session.description}</p>}
      {cancellation !== null && (
        <p>
          {text.cancelled}: {text.reasons[cancellation.reason]}
          {cancellation.note !== null && ` (${cancellation.note})`}
        </p>
      )}
      <Homework session={session} />
      <RemindersAhead session={session} />
    </Dialog>
  );
}

function Homework({ session: { homework, books = [], progress } }: { session: Session }) {
  const text = useText(clientRecordText);
  const titles = new Map(books.map(({ id, title }) => [id, title]));
  return (
    <section class="client-part">
      <h3>{text.homework}</h3>
      {homework.length === 0 ? (
        <p class="quiet">{text.noHomework}</p>
      ) : (
        <>
          <Progress {...progress} label={text.progress(progress.done, progress.total)} />
          <ul class="client-books">
            {homework.map(({ id, bookId, completedAt }) => (
              <li key={id} class="client-book">
                <Icon name={completedAt === null ? 'book' : 'check'} size={16} />
                <span>
                  {titles.get(bookId)} <span class="small quiet">· {completedAt === null ? text.open : text.done}</span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function RemindersAhead({ session: { remindersAhead = [], timeZone } }: { session: Session }) {
  const text = useText(clientRecordText);
  if (remindersAhead.length === 0) return null;
  return (
    <section class="client-part">
      <h3>{text.remindersAhead}</h3>
      <ul class="client-books">
        {remindersAhead.map(({ id, sendAt, recipientKind }) => (
          <li key={id} class="client-book">
            <Icon name="bell" size={16} />
            <span>
              <Time at={sendAt} zone={timeZone} />{' '}
              <span class="small quiet">{recipientKind === 'CLIENT' ? text.toClient : text.toCareProvider}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Step = 'complete' | 'noShow' | 'undo';

function Actions({ session, canMove, onAction, onClose }: SessionDialogProps) {
  const text = useText(clientRecordText);
  const { id, status, startsAt } = session;
  const { overlaps } = useText(scheduleChangeText);
  // The user may have closed this dialog, and opened another one.
  const close = useWhileMounted(onClose);
  const step = useApiMutation<Step, SeriesChange>({
    change: (api, chosen, options) => {
      const staff = getStaffApi(api);
      const seen = { id, ifMatch: getSeenVersion(session) };
      if (chosen === 'complete') return staff.completeSession(seen, options);
      return chosen === 'noShow' ? staff.markSessionNoShow(seen, options) : staff.undoSessionStep(seen, options);
    },
    refreshes: SESSION_QUERY_KEYS,
    done: () => text.saved,
    warning: ({ conflictCount }) => (conflictCount > 0 ? overlaps(conflictCount) : undefined),
    onDone: (change) => {
      rememberVersion(id, change);
      close();
    },
  });
  const hasStarted = useHasPassed(startsAt);
  const isOpen = status === 'SCHEDULED' || status === 'PAUSED';
  const button = (kind: Step) => (
    <Button
      variant={kind === 'complete' ? 'primary' : 'secondary'}
      isBusy={step.isPending && step.variables === kind}
      aria-disabled={step.isPending}
      onClick={() => step.mutate(kind)}
    >
      {text[kind]}
    </Button>
  );
  if (!isOpen) return button('undo');
  if (status === 'SCHEDULED' && hasStarted)
    return (
      <>
        {button('noShow')}
        {button('complete')}
      </>
    );
  if (!canMove) return null;
  return (
    <>
      <Button onClick={() => onAction({ kind: 'shift', sessionId: id })}>{text.moveFrom}</Button>
      <Button onClick={() => onAction({ kind: 'skip', sessionId: id })}>{text.skipThis}</Button>
    </>
  );
}
