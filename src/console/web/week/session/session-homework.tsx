import type { Reminder, WeekSession } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Badge, Icon, Progress, QueryView, Skeleton, Time, type Tone } from '../../ui/index.js';
import { useRemindersOfSession } from '../week-data.js';
import { weekText } from '../week.text.js';

type Props = { session: WeekSession; weekZone: string };

export function SessionHomework({ session: { homework, progress }, weekZone }: Props) {
  const text = useText(weekText);
  return (
    <section class="week-part">
      <h3>{text.homework}</h3>
      {homework.length === 0 ? (
        <p class="small quiet">{text.noHomework}</p>
      ) : (
        <>
          <Progress done={progress.done} total={progress.total} label={text.progress(progress.done, progress.total)} />
          <ul class="week-plain">
            {homework.map(({ id, bookTitle, completedAt }) => (
              <li key={id} class="week-line">
                <Icon name={completedAt === null ? 'book' : 'check'} size={18} />
                <span>
                  {bookTitle}
                  {completedAt !== null && (
                    <span class="small quiet">
                      {' '}
                      · {text.done} <Time at={completedAt} zone={weekZone} />
                    </span>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const TONES: Readonly<Record<Reminder['status'], Tone>> = {
  PENDING: 'accent',
  QUEUED: 'accent',
  SENT: 'good',
  DEAD: 'danger',
  WITHDRAWN: 'neutral',
  SKIPPED: 'neutral',
};

export function SessionReminders({ session: { id, homework, timeZone } }: { session: WeekSession }) {
  const text = useText(weekText);
  const reminders = useRemindersOfSession(id);
  const titles = new Map(homework.map((one) => [one.id, one.bookTitle]));
  return (
    <section class="week-part">
      <h3>{text.reminders}</h3>
      <QueryView of={reminders} skeleton={<Skeleton rows={2} />}>
        {(items) =>
          items.length === 0 ? (
            <p class="small quiet">{text.noReminders}</p>
          ) : (
            <ul class="week-plain small">
              {items.map((reminder) => (
                <li key={reminder.id} class="week-line">
                  <Icon name="bell" size={16} />
                  <span class="week-grow">
                    <Time at={reminder.sendAt} zone={timeZone} />
                    <span class="quiet">
                      {' '}
                      · {text.reminderOf[reminder.recipientKind]} ·{' '}
                      {titles.get(reminder.homeworkId ?? 0) ?? text.ofSession}
                    </span>
                  </span>
                  <Badge tone={TONES[reminder.status]}>{text.reminderStatuses[reminder.status]}</Badge>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </section>
  );
}
