import type { Reminder } from '@care-scheduling/client';
import { useText } from '../text/text.js';
import { Badge, Button, Icon, Table, Time, type TableColumn } from '../ui/index.js';
import { findReason } from './explain-reminder.js';
import { explanationText } from './explanation.text.js';
import { useRedriveReminder } from './outbox-data.js';
import { isRedrivable, toOutboxPath, type OutboxFilterValues } from './outbox-filters.js';
import { outboxText } from './outbox.text.js';
import { REMINDER_STATUS_TONES } from './reminder-status-tones.js';

/** Returns the name of the recipient, or undefined if the caller may not see it. */
export function getRecipientName({ recipientKind, client, careProvider }: Reminder): string | undefined {
  return recipientKind === 'CLIENT' ? client?.name : careProvider?.name;
}

type ReminderTableProps = {
  reminders: readonly Reminder[];
  timeZone: string;
  filters: OutboxFilterValues;
  onWhy: (reminder: Reminder) => void;
};

export function ReminderTable({ reminders, timeZone, filters, onWhy }: ReminderTableProps) {
  const text = useText(outboxText);
  const redrive = useRedriveReminder(() => text.sentAgain);
  const columns: TableColumn<Reminder>[] = [
    { key: 'due', header: text.due, cell: (reminder) => <DueTime reminder={reminder} timeZone={timeZone} /> },
    { key: 'recipient', header: text.to_, cell: (reminder) => <RecipientCell reminder={reminder} /> },
    { key: 'about', header: text.about, cell: (reminder) => <AboutCell reminder={reminder} filters={filters} /> },
    { key: 'state', header: text.state, cell: (reminder) => <StateCell reminder={reminder} /> },
    {
      key: 'actions',
      header: text.actions,
      align: 'end',
      cell: (reminder) => {
        const name = getRecipientName(reminder) ?? text.someone;
        return (
          <div class="outbox-actions">
            {isRedrivable(reminder) && (
              <Button
                size="small"
                icon="refresh"
                aria-label={text.sendAgainTo(name)}
                isBusy={redrive.isPending && redrive.variables === reminder.id}
                onClick={() => redrive.mutate(reminder.id)}
              >
                {text.sendAgain}
              </Button>
            )}
            <Button size="small" variant="quiet" aria-label={text.whyOf(name)} onClick={() => onWhy(reminder)}>
              {text.why}
            </Button>
          </div>
        );
      },
    },
  ];
  return <Table caption={text.title} columns={columns} rows={reminders} rowKey={({ id }) => id} />;
}

function DueTime({ reminder: { dueAt, sendAt, status }, timeZone }: { reminder: Reminder; timeZone: string }) {
  const text = useText(outboxText);
  return (
    <div>
      <Time at={dueAt} zone={timeZone} />
      {status === 'PENDING' && sendAt !== dueAt && (
        <p class="outbox-note small quiet">
          <Icon name="moon" size={14} />
          <span>
            {text.sendAt} <Time at={sendAt} zone={timeZone} showsZone={false} />
          </span>
        </p>
      )}
    </div>
  );
}

function RecipientCell({ reminder }: { reminder: Reminder }) {
  const text = useText(outboxText);
  return (
    <div class="outbox-recipient">
      <Icon name={reminder.recipientKind === 'CLIENT' ? 'person' : 'clinic'} size={16} />
      <span>{getRecipientName(reminder) ?? text.someone}</span>
    </div>
  );
}

function AboutCell({
  reminder: { kind, books, sessionId, client },
  filters,
}: {
  reminder: Reminder;
  filters: OutboxFilterValues;
}) {
  const text = useText(outboxText);
  return (
    <div>
      {kind === 'HOMEWORK' && <p>{books?.map(({ title }) => title).join(', ') || text.kinds.HOMEWORK}</p>}
      {client === undefined ? (
        // The Session was erased, so the notice of that is its only reminder.
        <p>{text.cancelledSession(sessionId)}</p>
      ) : (
        <a
          class={kind === 'HOMEWORK' ? 'small' : undefined}
          href={`#${toOutboxPath({ ...filters, session: String(sessionId) })}`}
          aria-label={`${text.openSession}: ${sessionId}`}
        >
          {text.sessionOf(sessionId)}
        </a>
      )}
    </div>
  );
}

function StateCell({ reminder: { status, reason } }: { reminder: Reminder }) {
  const text = useText(outboxText);
  const { dead, skipped, withdrawn } = useText(explanationText);
  const why = findReason({ ...dead, ...skipped, ...withdrawn }, reason);
  return (
    <div>
      <Badge tone={REMINDER_STATUS_TONES[status]}>{text.statuses[status]}</Badge>
      {why !== undefined && <p class="outbox-reason small quiet">{why}</p>}
    </div>
  );
}
