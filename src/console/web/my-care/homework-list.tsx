import type { ClientHomework } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { appearance } from '../app/appearance.js';
import { useStore } from '../app/store.js';
import { useText } from '../text/text.js';
import { Badge, EmptyState, formatDate, formatZone, Icon, Progress, Time } from '../ui/index.js';
import { getToday } from '../ui/time/clock.js';
import { groupHomeworkByDueDate, isOverdue, sortBySendTime, type HomeworkGroup } from './homework-groups.js';
import { useHomeworkChange } from './my-care-data.js';
import { myCareText } from './my-care.text.js';

/** Shows all homework, grouped by due date. Past groups whose homework is done are collapsed. */
export function HomeworkList({ homework }: { homework: readonly ClientHomework[] }) {
  const text = useText(myCareText);
  const groups = groupHomeworkByDueDate(homework, getToday);
  // A group stays in its place while the page is open, so that buttons do not move while the user taps them.
  const [current] = useState(() => new Set(groups.filter(({ isCurrent }) => isCurrent).map(({ key }) => key)));
  const isShown = ({ key, isCurrent }: HomeworkGroup) => isCurrent || current.has(key);
  const earlier = groups.filter((group) => !isShown(group));
  const done = homework.filter(({ completedAt }) => completedAt !== null).length;
  if (homework.length === 0)
    return (
      <EmptyState icon="book" title={text.noHomework}>
        {text.noHomeworkText}
      </EmptyState>
    );
  return (
    <>
      <Progress done={done} total={homework.length} label={text.progress(done, homework.length)} />
      {groups.filter(isShown).map((group) => (
        <Group key={group.key} group={group} />
      ))}
      {earlier.length > 0 && (
        <details class="fold">
          <summary>{text.earlierHomework}</summary>
          {earlier.toReversed().map((group) => (
            <Group key={group.key} group={group} />
          ))}
        </details>
      )}
    </>
  );
}

function Group({ group: { dueDate, timeZone, items } }: { group: HomeworkGroup }) {
  const text = useText(myCareText);
  const { language } = useStore(appearance);
  return (
    <section class="my-care-group">
      <h3>
        {text.until(formatDate(dueDate, 'date', language))} <span class="zone">{formatZone(timeZone)}</span>
      </h3>
      <ul class="my-care-homework">
        {items.map((homework) => (
          <HomeworkItem key={homework.id} homework={homework} />
        ))}
      </ul>
    </section>
  );
}

function HomeworkItem({ homework }: { homework: ClientHomework }) {
  const text = useText(myCareText);
  const { mutate } = useHomeworkChange();
  const { bookTitle, completedAt, paused, remindersAhead } = homework;
  const isDone = completedAt !== null;
  const [next, ...more] = sortBySendTime(remindersAhead);
  return (
    <li class={`my-care-item ${isDone ? 'my-care-done' : ''}`}>
      <button
        type="button"
        class="my-care-check"
        aria-pressed={isDone}
        aria-label={text.markDone(bookTitle)}
        onClick={() => mutate({ homework, isDone: !isDone })}
      >
        <Icon name="check" size={18} />
      </button>
      <div class="my-care-item-text">
        <p class="my-care-book">{bookTitle}</p>
        {next !== undefined && !isDone && (
          <p class="my-care-reminder small quiet">
            <Icon name="bell" size={15} />
            <span>
              {text.reminder} <Time at={next.sendAt} zone={next.timeZone} />{' '}
              {more.length > 0 && text.moreReminders(more.length)}
            </span>
          </p>
        )}
      </div>
      {isDone && <Badge tone="good">{text.done}</Badge>}
      {paused && <Badge>{text.paused}</Badge>}
      {isOverdue(homework, getToday) && <Badge tone="attention">{text.overdue}</Badge>}
    </li>
  );
}
