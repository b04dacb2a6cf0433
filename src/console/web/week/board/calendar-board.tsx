import type { Week, WeekSession } from '@care-scheduling/client';
import { Calendar, type CalendarOptions, type DayHeaderInfo, type EventClickInfo, type EventInput } from 'fullcalendar';
import 'fullcalendar/skeleton.css';
import classicThemePlugin from 'fullcalendar/themes/classic';
import 'fullcalendar/themes/classic/palette.css';
import 'fullcalendar/themes/classic/theme.css';
import timeGridPlugin from 'fullcalendar/timegrid';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { appearance } from '../../app/appearance.js';
import { useStore } from '../../app/store.js';
import { useText } from '../../text/text.js';
import { getCurrentTime } from '../../ui/time/clock.js';
import { BoardDayHeader, BoardSession } from './board-content.js';
import { runWhenHeightIsStable } from './run-when-height-is-stable.js';
import { listenToDrags, type DragOptions } from './drag/listen-to-drags.js';
import type { DragResult } from './drag/session-drag.js';
import { isMovable } from '../session-marks.js';
import {
  findVisibleHours,
  toBoardTimeRange,
  toDraftAfterMove,
  toDraftAfterResize,
  toWallClock,
  type MoveDraft,
} from '../session-times.js';
import { listClockChanges } from '../week-days.js';
import { weekText } from '../week.text.js';

export type CalendarBoardProps = {
  week: Week;
  /** Maps the ID of a Care Provider to a colour. Undefined if all Sessions have the same colour. */
  colourOf: ((careProviderId: number) => number) | undefined;
  onOpen: (session: WeekSession) => void;
  /** Called after a Session has been dropped or resized. `revert` undoes the change on the board. */
  onMove: (session: WeekSession, draft: MoveDraft, revert: () => void) => void;
};

/**
 * Shows the week as a grid of days and hours. The calendar component gets local times, so it needs no time zone. Its
 * own dragging is switched off, because it would render all Sessions again at each step of a drag.
 */
export default function CalendarBoard(props: CalendarBoardProps) {
  const { week } = props;
  const text = useText(weekText);
  const { language } = useStore(appearance);
  const container = useRef<HTMLDivElement>(null);
  const calendar = useRef<Calendar>();
  const [isMeasured, setMeasured] = useState(false);
  const latest = useRef(props);
  latest.current = props;
  const events = useMemo(() => week.sessions.map(toEvent), [week.sessions]);

  useEffect(() => {
    const created = new Calendar(container.current!, { ...FIXED_OPTIONS, ...listenTo(latest) });
    calendar.current = created;
    created.render();
    const endDrags = listenToDrags(container.current!, toDragOptions(latest));
    const stopWaiting = runWhenHeightIsStable(container.current!, () => setMeasured(true));
    return () => {
      stopWaiting();
      endDrags();
      created.destroy();
    };
  }, []);

  useEffect(() => {
    const changes = new Set(listClockChanges(week).map(({ date }) => date.replaceAll('/', '-')));
    const focusAgain = rememberFocus(container.current!);
    calendar.current?.resetOptions({
      ...FIXED_OPTIONS,
      ...listenTo(latest),
      initialDate: week.days[0]!.date.replaceAll('/', '-'),
      locale: language === 'en' ? 'en-GB' : language,
      ...toVisibleHours(week.sessions),
      now: () => toWallClock(getCurrentTime(), week.timeZone),
      dayHeaderContent: ({ date }: DayHeaderInfo) => (
        <BoardDayHeader
          at={date.toISOString()}
          clockChange={changes.has(date.toISOString().slice(0, 10)) && text.clockChange}
        />
      ),
      events,
    });
    calendar.current?.gotoDate(week.days[0]!.date.replaceAll('/', '-'));
    describeAxis(container.current!, text.time);
    focusAgain();
  }, [week, events, text, language]);

  return (
    <div
      ref={container}
      // The class never changes, because the calendar adds its own classes to this element.
      class="week-board"
      data-measured={isMeasured}
      role="group"
      aria-label={text.board}
    />
  );
}

const FIXED_OPTIONS: CalendarOptions = {
  plugins: [timeGridPlugin, classicThemePlugin],
  initialView: 'timeGridWeek',
  timeZone: 'UTC',
  firstDay: 1,
  headerToolbar: false,
  allDaySlot: false,
  height: 'auto',
  slotDuration: '00:30',
  slotMinHeight: 33,
  slotHeaderFormat: { hour: '2-digit', minute: '2-digit', hour12: false },
  nowIndicator: true,
  // The content of the event already shows the time.
  displayEventTime: false,
  eventInteractive: true,
  // The calendar hides the text of headers from screen readers and sets a label. Accessible tables need the text.
  dayHeaderDidMount: ({ el }) => el.querySelector('[aria-hidden]')?.removeAttribute('aria-hidden'),
  eventMinHeight: 22,
};

/**
 * Adds a text to the header of the hours column. The calendar only sets a label, but accessible tables need header
 * text.
 */
function describeAxis(container: HTMLElement, label: string): void {
  for (const head of container.querySelectorAll<HTMLElement>('[role="rowheader"]')) {
    if (head.textContent !== '') continue;
    const text = document.createElement('span');
    text.className = 'visually-hidden';
    text.textContent = label;
    head.append(text);
  }
}

/**
 * Remembers the focused Session, because the calendar replaces all elements when a Session changes. Returns a function
 * that restores the focus if it was lost.
 */
function rememberFocus(container: HTMLElement): () => void {
  const id = findSessionId(document.activeElement?.closest<HTMLElement>('.week-event'));
  return () => {
    const isLost = document.activeElement === document.body;
    if (id !== undefined && isLost)
      container.querySelector(`[data-session="${id}"]`)?.closest<HTMLElement>('.week-event')?.focus();
  };
}

function findSessionId(box: HTMLElement | null | undefined): string | undefined {
  return box?.querySelector<HTMLElement>('[data-session]')?.dataset['session'];
}

/** Returns the hours of the grid: a working day, extended if there are earlier or later Sessions. */
function toVisibleHours(sessions: readonly WeekSession[]): CalendarOptions {
  const { first, last } = findVisibleHours(sessions.map(toBoardTimeRange));
  return { slotMinTime: `${first}:00`, slotMaxTime: `${last}:00` };
}

function toEvent(session: WeekSession): EventInput {
  return {
    ...toBoardTimeRange(session),
    id: String(session.id),
    title: session.title,
    extendedProps: { session },
  };
}

type Latest = { current: CalendarBoardProps };

/**
 * The handlers read the latest properties, so that the calendar need not be created again when the properties change.
 */
function listenTo(latest: Latest): CalendarOptions {
  return {
    eventContent: ({ event }) => (
      <BoardSession session={toSession(event)} hasNames={latest.current.colourOf !== undefined} />
    ),
    eventClass: ({ event }) => listClasses(toSession(event), latest.current.colourOf),
    eventClick: ({ event }: EventClickInfo) => latest.current.onOpen(toSession(event)),
  };
}

function toDragOptions(latest: Latest): DragOptions {
  return {
    sessions: () => latest.current.week.sessions,
    find(box) {
      const id = Number(findSessionId(box));
      return latest.current.week.sessions.find((session) => session.id === id && isMovable(session));
    },
    onDrop: (session, drop, revert) =>
      latest.current.onMove(session, toDraft(session, drop, latest.current.week.timeZone), revert),
  };
}

function toDraft(session: WeekSession, drop: DragResult, zone: string): MoveDraft {
  return drop.part === 'end'
    ? toDraftAfterResize(session, drop.minutesLonger)
    : toDraftAfterMove(session, drop.start, zone);
}

function toSession({ extendedProps }: EventClickInfo['event']): WeekSession {
  return extendedProps['session'] as WeekSession;
}

function listClasses(session: WeekSession, colourOf: CalendarBoardProps['colourOf']): string {
  const { status, conflicts, caregiverId } = session;
  const classes = ['week-event', `week-${status.toLowerCase().replace('_', '-')}`];
  if (colourOf !== undefined) classes.push(`week-colour-${colourOf(caregiverId)}`);
  if (conflicts.length > 0) classes.push('week-overlapping');
  if (isMovable(session)) classes.push('week-movable');
  return classes.join(' ');
}
