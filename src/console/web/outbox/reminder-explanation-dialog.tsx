import './outbox.css';
import type { ReminderEvent } from '@care-scheduling/client';
import { appearance } from '../app/appearance.js';
import { useStore } from '../app/store.js';
import { isClinicSignedIn } from '../data/staff-api.js';
import { useText } from '../text/text.js';
import {
  Badge,
  Button,
  Dialog,
  QueryView,
  Skeleton,
  Time,
  Timeline,
  type IconName,
  type TimelineItem,
  type Tone,
} from '../ui/index.js';
import { explainReminder } from './explain-reminder.js';
import { explanationText } from './explanation.text.js';
import { useRedriveReminder, useReminder, type ReminderWithSession } from './outbox-data.js';
import { isRedrivable, readOutboxFilters, toOutboxPath, type OutboxFilterValues } from './outbox-filters.js';
import { CollapsibleReminderMessage } from './collapsible-reminder-message.js';
import { outboxText } from './outbox.text.js';
import { REMINDER_STATUS_TONES } from './reminder-status-tones.js';
import { getRecipientName } from './reminder-table.js';

const LOOKS: Readonly<Record<ReminderEvent['what'], [icon: IconName, tone: Tone]>> = {
  PLANNED: ['calendar', 'accent'],
  MOVED: ['arrow', 'accent'],
  HANDED_OVER: ['people', 'neutral'],
  WITHDRAWN: ['close', 'neutral'],
  RESTORED: ['undo', 'accent'],
  DEFERRED: ['moon', 'attention'],
  ADVANCED: ['moon', 'attention'],
  RESCHEDULED: ['clock', 'attention'],
  QUEUED: ['mail', 'neutral'],
  FAILED: ['warning', 'attention'],
  SENT: ['check', 'good'],
  SKIPPED: ['pause', 'attention'],
  DEAD: ['warning', 'danger'],
  REDRIVEN: ['refresh', 'accent'],
};

/**
 * Explains why a reminder will be sent, was sent or was not sent. Only a Clinic can send it again, and read its message.
 */
export function ReminderExplanationDialog({
  id,
  clinicZone = 'UTC',
  filters = readOutboxFilters(new URLSearchParams()),
  onClose,
}: {
  id: number;
  /** The time zone of the Clinic, for a reminder whose Session no longer exists. */
  clinicZone?: string | undefined;
  /** The filters of the page with all reminders. */
  filters?: OutboxFilterValues;
  onClose: () => void;
}) {
  const text = useText(outboxText);
  const told = useReminder(id);
  const redrive = useRedriveReminder(() => text.sentAgain);
  const reminder = told.data?.reminder;
  return (
    <Dialog
      title={reminder === undefined ? text.why : text.sentTo(getRecipientName(reminder) ?? text.someone)}
      onClose={onClose}
      size="wide"
      actions={
        <>
          <Button onClick={onClose}>{text.close}</Button>
          {isClinicSignedIn() && reminder !== undefined && isRedrivable(reminder) && (
            <Button variant="primary" icon="refresh" isBusy={redrive.isPending} onClick={() => redrive.mutate(id)}>
              {text.sendAgain}
            </Button>
          )}
        </>
      }
    >
      <QueryView of={told} skeleton={<Skeleton rows={4} />}>
        {(data) => <Explanation told={data} clinicZone={clinicZone} filters={filters} />}
      </QueryView>
    </Dialog>
  );
}

function Explanation({
  told: { reminder, session },
  clinicZone,
  filters,
}: {
  told: ReminderWithSession;
  clinicZone: string;
  filters: OutboxFilterValues;
}) {
  const text = useText(outboxText);
  const texts = useText(explanationText);
  const { language } = useStore(appearance);
  const { timeZone, startsAt } = session ?? { timeZone: clinicZone, startsAt: undefined };
  const careProviders = new Map(reminder.careProvider ? [[reminder.careProvider.id, reminder.careProvider.name]] : []);
  const { summary, steps } = explainReminder(reminder, texts, { language, timeZone, startsAt, careProviders });
  const items = steps.map(({ key, at, what, sentences }): TimelineItem => {
    const [icon, tone] = LOOKS[what];
    return {
      ...{ key, icon, tone, title: text.what[what], detail: sentences.join(' ') },
      when: <Time at={at} zone={timeZone} />,
    };
  });
  return (
    <>
      <div class="outbox-summary">
        <Badge tone={REMINDER_STATUS_TONES[reminder.status]}>{text.statuses[reminder.status]}</Badge>
        <p class="outbox-summary-text">{summary.join(' ')}</p>
      </div>
      {session !== undefined && (
        <p class="small">
          {session.title} · <Time at={session.startsAt} to={session.endsAt} zone={timeZone} />
          {isClinicSignedIn() && (
            <>
              {' '}
              · <a href={`#${toOutboxPath({ ...filters, session: String(session.id) })}`}>{text.openSession}</a>
            </>
          )}
        </p>
      )}
      {isClinicSignedIn() && <CollapsibleReminderMessage {...reminder} />}
      <h3>{text.history}</h3>
      <Timeline label={text.history} items={items} />
    </>
  );
}
