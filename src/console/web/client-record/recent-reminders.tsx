import type { Reminder } from '@care-scheduling/client';
import { lazy, Suspense } from 'preact/compat';
import { useState } from 'preact/hooks';
import { REMINDER_STATUS_TONES } from '../outbox/reminder-status-tones.js';
import { useText } from '../text/text.js';
import { Badge, Button, QueryView, Skeleton, Time, Timeline, type TimelineItem } from '../ui/index.js';
import { useRecentReminders, useSessionsOfClient } from './client-record-data.js';
import { clientRecordText, type ClientRecordText } from './client-record.text.js';

const ReminderExplanationDialog = lazy(async () => ({
  default: (await import('../outbox/reminder-explanation-dialog.js')).ReminderExplanationDialog,
}));

/** Shows the Client's reminders whose due time has passed. They are loaded only when the user opens the list. */
export function RecentReminders({ clientId, zone }: { clientId: number; zone: string | null }) {
  const text = useText(clientRecordText);
  const [isOpen, setOpen] = useState(false);
  const [explainedId, setExplainedId] = useState<number>();
  const reminders = useRecentReminders(clientId, isOpen);
  // Without a zone of their own, Clients live in the Clinic's, which their Sessions have.
  const sessions = useSessionsOfClient(clientId);
  const zones = new Map(sessions.data?.items.map(({ id, timeZone }) => [id, timeZone]));
  return (
    <>
      <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{text.recentReminders}</summary>
        {isOpen && (
          <QueryView of={reminders} skeleton={<Skeleton rows={3} />}>
            {({ items }) =>
              items.length === 0 ? (
                <p class="quiet">{text.noReminders}</p>
              ) : (
                <Timeline
                  label={text.recentReminders}
                  items={items.map((one) =>
                    toItem(one, zone ?? zones.get(one.sessionId) ?? 'UTC', text, setExplainedId),
                  )}
                />
              )
            }
          </QueryView>
        )}
      </details>
      {explainedId !== undefined && (
        <Suspense fallback={null}>
          <ReminderExplanationDialog id={explainedId} onClose={() => setExplainedId(undefined)} />
        </Suspense>
      )}
    </>
  );
}

function toItem(
  { id, kind, status, sendAt, dueAt, books }: Reminder,
  zone: string,
  text: ClientRecordText,
  onExplain: (id: number) => void,
): TimelineItem {
  const title = books?.map((book) => book.title).join(', ') ?? '';
  const about = kind === 'SESSION' ? text.aboutSession : text.aboutHomework(title);
  return {
    key: id,
    icon: 'bell',
    tone: REMINDER_STATUS_TONES[status],
    when: <Time at={status === 'SENT' ? sendAt : dueAt} zone={zone} />,
    title: (
      <>
        {about} <Badge tone={REMINDER_STATUS_TONES[status]}>{text.reminderStatuses[status]}</Badge>
      </>
    ),
    detail: (
      <Button size="small" variant="quiet" aria-label={`${text.why} ${about}`} onClick={() => onExplain(id)}>
        {text.why}
      </Button>
    ),
  };
}
