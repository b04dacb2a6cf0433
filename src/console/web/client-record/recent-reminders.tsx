import type { Reminder } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { REMINDER_STATUS_TONES } from '../outbox/reminder-status-tones.js';
import { useText } from '../text/text.js';
import { Badge, QueryView, Skeleton, Time, Timeline, type TimelineItem } from '../ui/index.js';
import { useRecentReminders, useSessionsOfClient } from './client-record-data.js';
import { clientRecordText, type ClientRecordText } from './client-record.text.js';

/** Shows the Client's reminders whose due time has passed. They are loaded only when the user opens the list. */
export function RecentReminders({ clientId, zone }: { clientId: number; zone: string | null }) {
  const text = useText(clientRecordText);
  const [isOpen, setOpen] = useState(false);
  const reminders = useRecentReminders(clientId, isOpen);
  // Without a zone of their own, Clients live in the Clinic's, which their Sessions have.
  const sessions = useSessionsOfClient(clientId);
  const zones = new Map(sessions.data?.items.map(({ id, timeZone }) => [id, timeZone]));
  return (
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
                items={items.map((one) => toItem(one, zone ?? zones.get(one.sessionId) ?? 'UTC', text))}
              />
            )
          }
        </QueryView>
      )}
    </details>
  );
}

function toItem(
  { id, kind, status, sendAt, dueAt, books }: Reminder,
  zone: string,
  text: ClientRecordText,
): TimelineItem {
  const title = books?.map((book) => book.title).join(', ') ?? '';
  return {
    key: id,
    icon: 'bell',
    tone: REMINDER_STATUS_TONES[status],
    when: <Time at={status === 'SENT' ? sendAt : dueAt} zone={zone} />,
    title: (
      <>
        {kind === 'SESSION' ? text.aboutSession : text.aboutHomework(title)}{' '}
        <Badge tone={REMINDER_STATUS_TONES[status]}>{text.reminderStatuses[status]}</Badge>
      </>
    ),
  };
}
