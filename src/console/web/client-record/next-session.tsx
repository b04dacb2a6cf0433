import type { BookHomework, Session, SessionDigest } from '@care-scheduling/client';
import { useText } from '../text/text.js';
import { Badge, EmptyState, Icon, Progress, QueryView, Skeleton, Time } from '../ui/index.js';
import { useSessionDigest } from './client-record-data.js';
import { clientRecordText } from './client-record.text.js';
import { SESSION_DISPLAY_TONES } from './session-display.js';

type NextSessionProps = { session: Session | undefined; hasPaused: boolean };

/** Shows the next Session with its digest. @param hasPaused whether Sessions are paused, which are no next Session */
export function NextSession({ session, hasPaused }: NextSessionProps) {
  const text = useText(clientRecordText);
  if (session === undefined)
    return (
      <EmptyState icon="calendar" title={text.nothingNext}>
        {hasPaused ? text.nothingNextPaused : text.nothingNextText}
      </EmptyState>
    );
  const { startsAt, endsAt, timeZone, title, careProvider } = session;
  return (
    <section class="client-next" aria-labelledby="client-next">
      <div class="client-next-when">
        <h2 id="client-next" class="client-eyebrow">
          {text.nextSession}
        </h2>
        <p class="client-next-date">
          <Time at={startsAt} zone={timeZone} format="longDate" showsZone={false} />
        </p>
        <p class="client-next-time">
          <Time at={startsAt} to={endsAt} zone={timeZone} format="time" />
        </p>
        <p>
          {title}
          {careProvider !== undefined && ` ${text.withProvider(careProvider.name)}`}
        </p>
      </div>
      <Digest sessionId={session.id} />
    </section>
  );
}

function Digest({ sessionId }: { sessionId: number }) {
  const digest = useSessionDigest(sessionId);
  return (
    <QueryView of={digest} skeleton={<Skeleton rows={3} />}>
      {(data) => <DigestText digest={data} />}
    </QueryView>
  );
}

function DigestText({ digest: { previous, homework, dueSoFar, daysSincePrevious } }: { digest: SessionDigest }) {
  const text = useText(clientRecordText);
  return (
    <div class="client-digest">
      <div class="client-digest-part">
        <h3>{text.before}</h3>
        {previous === null ? (
          <p>{text.firstSession}</p>
        ) : (
          <>
            <p class="row">
              <Time at={previous.startsAt} zone={previous.timeZone} />
              <Badge tone={SESSION_DISPLAY_TONES[previous.status]}>{text.statuses[previous.status]}</Badge>
            </p>
            {daysSincePrevious !== null && <p class="small">{text.daysAgo(daysSincePrevious)}</p>}
            <HomeworkList homework={previous.homework} showsState />
          </>
        )}
      </div>
      <div class="client-digest-part">
        <h3>{text.planned}</h3>
        <HomeworkList homework={homework} showsState={homework.some(({ completedAt }) => completedAt !== null)} />
        {dueSoFar.total > 0 && <Progress {...dueSoFar} label={text.dueSoFar(dueSoFar.done, dueSoFar.total)} />}
      </div>
    </div>
  );
}

function HomeworkList({ homework, showsState }: { homework: readonly BookHomework[]; showsState: boolean }) {
  const text = useText(clientRecordText);
  if (homework.length === 0) return <p>{text.noHomework}</p>;
  return (
    <ul class="client-books">
      {homework.map(({ id, bookTitle, completedAt }) => (
        <li key={id} class="client-book">
          <Icon name={completedAt === null ? 'book' : 'check'} size={16} />
          <span>
            {bookTitle}
            {showsState && <span class="small"> · {completedAt === null ? text.open : text.done}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
