import type { SessionDigest as Digest, WeekSession } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { useText } from '../../text/text.js';
import { Progress, QueryView, Time } from '../../ui/index.js';
import { useSessionDigest } from '../week-data.js';
import { weekText } from '../week.text.js';

/**
 * Shows the digest of a Session, with what the Care Provider needs to know before it starts. The digest is loaded only
 * when the user opens it.
 */
export function SessionDigest({ session: { id }, weekZone }: { session: WeekSession; weekZone: string }) {
  const text = useText(weekText);
  const [isOpen, setOpen] = useState(false);
  const digest = useSessionDigest(id, isOpen);
  return (
    <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text.digest}</summary>
      {isOpen && <QueryView of={digest}>{(data) => <DigestContent digest={data} weekZone={weekZone} />}</QueryView>}
    </details>
  );
}

function DigestContent({ digest, weekZone }: { digest: Digest; weekZone: string }) {
  const text = useText(weekText);
  const { previous, daysSincePrevious, dueSoFar, progress } = digest;
  return (
    <dl class="week-digest small">
      <dt>{text.digestPrevious}</dt>
      <dd>
        {previous === null ? (
          text.digestFirst
        ) : (
          <>
            <Time at={previous.startsAt} zone={weekZone} /> · {text.statuses[previous.status]}
            {daysSincePrevious !== null && ` · ${text.digestDays(daysSincePrevious)}`}
            {previous.homework.length > 0 && (
              <ul class="week-plain">
                {previous.homework.map(({ id, bookTitle, completedAt }) => (
                  <li key={id}>
                    {bookTitle}
                    {completedAt !== null && ` · ${text.done}`}
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </dd>
      <dt>{text.digestDue}</dt>
      <dd>
        <Progress done={dueSoFar.done} total={dueSoFar.total} label={text.progress(dueSoFar.done, dueSoFar.total)} />
      </dd>
      <dt>{text.digestAll}</dt>
      <dd>
        <Progress done={progress.done} total={progress.total} label={text.progress(progress.done, progress.total)} />
      </dd>
    </dl>
  );
}
