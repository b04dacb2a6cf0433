import { useEffect, useRef, useState } from 'preact/hooks';
import { useText } from '../../text/text.js';
import { Badge, Icon, Progress } from '../../ui/index.js';
import { clientRecordText } from '../client-record.text.js';
import { SeriesActions } from './series-actions.js';
import { SeriesWeeks } from './series-weeks.js';
import { SeriesSessionDialog } from './series-session-dialog.js';
import type { SeriesWithSessions } from '../session-groups.js';
import type { SeriesAction } from './series-change.js';
import { SeriesChangeDialog } from './series-change-dialog.js';

/** Shows a series: its weeks in a row, its homework progress, and the actions on the series. */
export function SeriesCard({ group, isCreated }: { group: SeriesWithSessions; isCreated: boolean }) {
  const text = useText(clientRecordText);
  const [openId, setOpenId] = useState<number>();
  const [action, setAction] = useState<SeriesAction>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isCreated) return;
    heading.current?.scrollIntoView({ block: 'center' });
    heading.current?.focus({ preventScroll: true });
  }, [isCreated]);
  const { id, title, series, sessions, progress } = group;
  const session = sessions.find((one) => one.id === openId);
  const open = (chosen: SeriesAction) => {
    setOpenId(undefined);
    setAction(chosen);
  };
  return (
    <section class={`card client-series ${isCreated ? 'client-series-created' : ''}`} aria-labelledby={`series-${id}`}>
      <div class="client-series-head">
        <div>
          <h2 id={`series-${id}`} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <p class="row small quiet">
            <Facts group={group} />
            {isCreated && (
              <Badge tone="good">
                <Icon name="check" size={14} /> {text.created}
              </Badge>
            )}
            {series !== undefined && series.pausedAt !== null && <Badge tone="attention">{text.pausedSince}</Badge>}
          </p>
        </div>
        {progress.total > 0 && (
          <div class="client-series-progress">
            <Progress {...progress} label={text.progress(progress.done, progress.total)} />
          </div>
        )}
      </div>
      <SeriesWeeks title={title} sessions={sessions} onOpen={(one) => setOpenId(one.id)} />
      {series === undefined ? (
        <p class="small quiet">{text.partial}</p>
      ) : (
        <SeriesActions series={series} onChoose={open} />
      )}
      {session !== undefined && (
        <SeriesSessionDialog
          session={session}
          canMove={series !== undefined}
          onAction={open}
          onClose={() => setOpenId(undefined)}
        />
      )}
      {action !== undefined && (
        <SeriesChangeDialog group={group} action={action} onClose={() => setAction(undefined)} />
      )}
    </section>
  );
}

function Facts({ group: { series, sessions } }: { group: SeriesWithSessions }) {
  const text = useText(clientRecordText);
  const provider = sessions.at(-1)!.careProvider;
  const facts =
    series === undefined
      ? [text.sessions(sessions.length)]
      : [
          text.sessions(series.sessionCount),
          series.sessionCount > 1 && text.everyDays(series.intervalDays),
          series.upcomingCount > 0 && text.sessionsAhead(series.upcomingCount),
        ];
  return <span>{[...facts, provider && text.withProvider(provider.name)].filter(Boolean).join(' · ')}</span>;
}
