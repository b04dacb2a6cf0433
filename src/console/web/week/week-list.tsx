import type { Week, WeekSession } from '@care-scheduling/client';
import { appearance } from '../app/appearance.js';
import { useStore } from '../app/store.js';
import { useText } from '../text/text.js';
import { Badge, formatDate, Icon } from '../ui/index.js';
import { SESSION_STATUS_ICONS, SESSION_STATUS_TONES, toInitials } from './session-marks.js';
import { weekText } from './week.text.js';

type ListProps = {
  week: Week;
  /** Returns the colour of a Care Provider. Undefined if all Sessions have the same Care Provider. */
  colourOf: ((careProviderId: number) => number) | undefined;
  onOpen: (session: WeekSession) => void;
};

/** Shows the week as a list by day, on narrow screens and for users who prefer a list. */
export function WeekList({ week, colourOf, onOpen }: ListProps) {
  const { language } = useStore(appearance);
  const text = useText(weekText);
  const byDay = Map.groupBy(week.sessions, ({ localStart }) => localStart.date);
  return (
    <div class="week-list no-print">
      {week.days.map(({ date }) => (
        <section key={date} class="week-list-day">
          <h3>{formatDate(date, 'date', language)}</h3>
          {byDay.has(date) ? (
            <ul class="week-list-sessions">
              {byDay.get(date)!.map((session) => (
                <li key={session.id}>
                  <Row session={session} colour={colourOf?.(session.caregiverId)} onOpen={onOpen} />
                </li>
              ))}
            </ul>
          ) : (
            <p class="small quiet week-list-none">{text.nothing}</p>
          )}
        </section>
      ))}
    </div>
  );
}

type RowProps = { session: WeekSession; colour: number | undefined; onOpen: (session: WeekSession) => void };

function Row({ session, colour, onOpen }: RowProps) {
  const text = useText(weekText);
  const { localStart, localEnd, client, careProvider, title, status, conflicts } = session;
  return (
    <button
      type="button"
      class={`week-row week-colour-${colour ?? 1} week-${status.toLowerCase().replace('_', '-')}`}
      onClick={() => onOpen(session)}
    >
      <span class="week-row-time numeric">
        {localStart.time}
        <span class="quiet">–{localEnd.time}</span>
      </span>
      <span class="week-row-text">
        <span class="week-row-who">{client.name}</span>
        <span class="week-row-title small">{colour === undefined ? title : `${title} · ${careProvider.name}`}</span>
        {(status !== 'SCHEDULED' || conflicts.length > 0) && (
          <span class="week-row-marks">
            {status !== 'SCHEDULED' && (
              <Badge tone={SESSION_STATUS_TONES[status]}>
                <Icon name={SESSION_STATUS_ICONS[status]} size={14} /> {text.statuses[status]}
              </Badge>
            )}
            {conflicts.length > 0 && (
              <Badge tone="attention">
                <Icon name="warning" size={14} /> {text.overlap}
              </Badge>
            )}
          </span>
        )}
      </span>
      {colour !== undefined && (
        <span class="week-initials" aria-hidden="true">
          {toInitials(careProvider.name)}
        </span>
      )}
    </button>
  );
}
