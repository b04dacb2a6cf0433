import type { ClientSession } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import {
  Badge,
  EmptyState,
  Icon,
  QueryView,
  Skeleton,
  Time,
  Timeline,
  type TimelineItem,
  type Tone,
} from '../ui/index.js';
import { usePastSessions, type UpcomingSessions } from './my-care-data.js';
import { myCareText } from './my-care.text.js';
import { findSessionReminder } from './session-reminder.js';

type Texts = (typeof myCareText)['en'];

const TONES: Readonly<Record<ClientSession['status'], Tone>> = {
  SCHEDULED: 'accent',
  PAUSED: 'neutral',
  COMPLETED: 'good',
  NO_SHOW: 'attention',
  CANCELLED: 'neutral',
};

/** Shows the next Session in a large card, and later Sessions below it. */
export function SessionsAhead({ ahead: { sessions, isOnHold } }: { ahead: UpcomingSessions }) {
  const text = useText(myCareText);
  const next = sessions.find(({ status }) => status === 'SCHEDULED');
  const later = sessions.filter((session) => session !== next);
  return (
    <>
      {next === undefined ? (
        <EmptyState icon={isOnHold ? 'pause' : 'calendar'} title={isOnHold ? text.onHold : text.noSession}>
          {isOnHold ? text.onHoldText : text.noSessionText}
        </EmptyState>
      ) : (
        <NextSession session={next} />
      )}
      {later.length > 0 && (
        <details class="fold">
          <summary>
            {text.later} <span class="quiet numeric">{later.length}</span>
          </summary>
          <Timeline label={text.later} items={later.map((session) => toItem(session, text))} />
        </details>
      )}
    </>
  );
}

function NextSession({ session }: { session: ClientSession }) {
  const text = useText(myCareText);
  const { title, startsAt, endsAt, timeZone, durationMinutes, careProvider, remindersAhead = [] } = session;
  const reminder = findSessionReminder(remindersAhead);
  return (
    <section class="my-care-next">
      <h2 class="my-care-eyebrow">{text.nextSession}</h2>
      <p class="my-care-when">
        <Time at={startsAt} zone={timeZone} format="longDate" showsZone={false} />
      </p>
      <p class="my-care-hours">
        <Time at={startsAt} to={endsAt} zone={timeZone} format="time" />
      </p>
      <p>
        {title}
        {careProvider !== undefined && ` ${text.with(careProvider.name)}`}
        <span class="my-care-minutes"> · {text.minutes(durationMinutes)}</span>
      </p>
      {reminder !== undefined && (
        <p class="my-care-reminder small">
          <Icon name="bell" size={16} />
          <span>
            {text.reminder} <Time at={reminder.sendAt} zone={timeZone} />
          </span>
        </p>
      )}
    </section>
  );
}

/** Shows past Sessions. They are loaded only when the user opens the list. */
export function PastSessions() {
  const text = useText(myCareText);
  const [isOpen, setOpen] = useState(false);
  const past = usePastSessions(isOpen);
  return (
    <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text.pastSessions}</summary>
      {isOpen && (
        <QueryView of={past} skeleton={<Skeleton rows={3} />}>
          {(items) =>
            items.length === 0 ? (
              <p class="quiet">{text.noPast}</p>
            ) : (
              <Timeline label={text.pastSessions} items={items.map((session) => toItem(session, text))} />
            )
          }
        </QueryView>
      )}
    </details>
  );
}

function toItem(
  { id, startsAt, endsAt, timeZone, title, careProvider, status }: ClientSession,
  text: Texts,
): TimelineItem {
  return {
    key: id,
    icon:
      status === 'PAUSED' ? 'pause' : status === 'COMPLETED' ? 'check' : status === 'SCHEDULED' ? 'calendar' : 'close',
    tone: TONES[status],
    when: <Time at={startsAt} to={endsAt} zone={timeZone} />,
    title: (
      <>
        {title} {status !== 'SCHEDULED' && <Badge tone={TONES[status]}>{text.statuses[status]}</Badge>}
      </>
    ),
    detail: careProvider !== undefined && text.with(careProvider.name),
  };
}
