import type { ReminderMessage, ReminderWithHistory } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { isUpcoming } from '../../../reminder/domain/reminder-status.js';
import { useText } from '../text/text.js';
import { Badge, Notice, QueryView, Skeleton } from '../ui/index.js';
import { messageText } from './message.text.js';
import { useReminderMessage } from './outbox-data.js';

type ReminderMessageProps = Pick<ReminderWithHistory, 'id' | 'status' | 'optedOut'>;

/** Shows the text of a reminder's message. The text is loaded only when the user opens it. */
export function CollapsibleReminderMessage({ id, status, optedOut = false }: ReminderMessageProps) {
  const text = useText(messageText);
  const isAhead = !optedOut && isUpcoming(status);
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{status === 'SENT' ? text.sent : isAhead ? text.ahead : text.unsent}</summary>
      {isOpen && <Message id={id} isSent={status === 'SENT'} />}
    </details>
  );
}

function Message({ id, isSent }: { id: number; isSent: boolean }) {
  const text = useText(messageText);
  return (
    <QueryView of={useReminderMessage(id)} skeleton={<Skeleton rows={3} />}>
      {({ channels, reminderIds, late }) => (
        <div class="stack">
          <p class="small quiet">
            {text.note} {isSent && text.sentNote} {reminderIds.length > 1 && text.together(reminderIds.length - 1)}{' '}
            {late && text.late}
          </p>
          {channels.length === 0 && <Notice tone="attention">{text.unreachable}</Notice>}
          {channels.map((message) => (
            <ChannelMessage key={message.channel} message={message} />
          ))}
        </div>
      )}
    </QueryView>
  );
}

function ChannelMessage({ message: { channel, subject, body } }: { message: ReminderMessage['channels'][number] }) {
  const text = useText(messageText);
  const names = text.channels;
  return (
    <section class="outbox-message stack">
      <p>
        <Badge tone="neutral">{names[channel] ?? channel}</Badge> {subject !== null && <b>{subject}</b>}
      </p>
      <pre class="outbox-message-text small">{subject === null ? indent(body) : body}</pre>
    </section>
  );
}

/** Indents a JSON body, which the service sends in a single line. Returns other bodies unchanged. */
function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
