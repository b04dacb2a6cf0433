import './week.css';
import type { Week, WeekSession } from '@care-scheduling/client';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { replaceRoute, useRouteLocation } from '../app/router.js';
import type { PageProps } from '../app/page-props.js';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { useText } from '../text/text.js';
import { EmptyState, Notice, Page, QueryView, Skeleton, useCloseWhenGone, useIsNarrowScreen } from '../ui/index.js';
import { ClockChangeNotices } from './clock-change-notices.js';
import { MoveSessionFlow, type StartedMove } from './move/move-session-flow.js';
import { CareProviderFilter, useCareProviderColours, useChosenNames } from './care-provider-filter.js';
import { WeekSessionDialog } from './session/week-session-dialog.js';
import { toMoveDraft } from './session-times.js';
import { MAX_CHOSEN_PEOPLE, useWeek, type WeekSelection } from './week-data.js';
import { parseDateToMonday } from './week-days.js';
import { StatusLegend } from './board/status-legend.js';
import { WeekList } from './week-list.js';
import { WeekPrint } from './week-print.js';
import { WeekToolbar, type WeekView } from './week-toolbar.js';
import { weekText } from './week.text.js';

const CalendarBoard = lazy(() => import('./board/calendar-board.js'));

/** The page with the week of a Care Provider, or of all Care Providers of a Clinic. */
export default function WeekPage({ query }: PageProps) {
  const text = useText(weekText);
  const isClinic = requireSignedInCaller().role === 'CLINIC';
  const selection = toSelection(query);
  const isFiltered = selection.people.length > 0;
  const read = useWeek(selection);
  const { path } = useRouteLocation();
  useEffect(() => {
    // The start page gets the route of the week. Otherwise, navigating to another week would mount the page again.
    if (path === '/') replaceRoute('/week');
  }, [path]);
  const isNarrow = useIsNarrowScreen();
  const chosenView: WeekView = query.get('view') === 'list' ? 'list' : 'calendar';
  const view = isNarrow ? 'list' : chosenView;
  // The address keeps the choice of the user. A narrow screen may become wide, such as a tablet that is turned.
  const change = (next: Partial<WeekSelection> & { view?: WeekView }) =>
    replaceRoute(toAddress({ ...selection, view: chosenView, ...next }));
  return (
    <Page title={isClinic ? (isFiltered ? text.titleChosen : text.titleAll) : text.titleOwn} width="full">
      <div class="week">
        <WeekToolbar
          week={read.data}
          monday={selection.from ?? (read.isPlaceholderData ? undefined : toIsoMonday(read.data))}
          view={view}
          hasViews={!isNarrow}
          onWeek={(from) => change({ from })}
          onView={(next) => change({ view: next })}
        />
        {isClinic && <CareProviderFilter chosen={selection.people} onChoose={(people) => change({ people })} />}
        <QueryView of={read} skeleton={<Skeleton rows={6} shape="card" />}>
          {(week) => (
            <WeekContent
              week={week}
              isPrevious={read.isPlaceholderData}
              selection={selection}
              view={view}
              isClinic={isClinic}
            />
          )}
        </QueryView>
      </div>
    </Page>
  );
}

type ContentProps = {
  week: Week;
  /** Whether `week` is still the previous week, because the chosen one is being loaded. */
  isPrevious: boolean;
  selection: WeekSelection;
  view: WeekView;
  isClinic: boolean;
};

function WeekContent({ week, isPrevious, selection, view, isClinic }: ContentProps) {
  const text = useText(weekText);
  const [openId, setOpenId] = useState<number>();
  const [move, setMove] = useState<StartedMove>();
  const colours = useCareProviderColours(week);
  const chosenNames = useChosenNames(selection.people);
  // A Care Provider sees colours and names of Care Providers only if the week also has Sessions of colleagues.
  const colourOf =
    isClinic || new Set(week.sessions.map(({ caregiverId }) => caregiverId)).size > 1 ? colours : undefined;
  const open = week.sessions.find(({ id }) => id === openId);
  const openSession = ({ id }: WeekSession) => setOpenId(id);
  // Otherwise, the dialog would open again when the user returns to this week.
  useEffect(() => setOpenId(undefined), [selection.from]);
  // The Session may leave this week, or not match the filter.
  useCloseWhenGone(openId, openId !== undefined && open === undefined, setOpenId);
  return (
    <>
      {week.isTruncated && <Notice tone="attention">{text.truncated}</Notice>}
      <ClockChangeNotices week={week} />
      {week.sessions.length === 0 && (
        <EmptyState icon="calendar" title={text.empty}>
          {text.emptyText}
        </EmptyState>
      )}
      {week.sessions.length > 0 && view === 'list' && (
        <div class="visually-stable" aria-busy={isPrevious}>
          <WeekList week={week} colourOf={colourOf} onOpen={openSession} />
        </div>
      )}
      {view === 'calendar' && (
        <div class="no-print week-screen visually-stable" aria-busy={isPrevious}>
          <Suspense fallback={<Skeleton rows={6} shape="card" />}>
            <CalendarBoard
              week={week}
              colourOf={colourOf}
              onOpen={openSession}
              onMove={(session, draft, revert) => setMove({ session, draft, revert })}
            />
            <StatusLegend sessions={week.sessions} />
          </Suspense>
        </div>
      )}
      <WeekPrint week={week} chosenNames={chosenNames} />
      {open !== undefined && (
        <WeekSessionDialog
          session={open}
          selection={selection}
          weekZone={week.timeZone}
          onMove={() => {
            setMove({ session: open, draft: toMoveDraft(open) });
            setOpenId(undefined);
          }}
          onClose={() => setOpenId(undefined)}
        />
      )}
      <MoveSessionFlow selection={selection} weekZone={week.timeZone} move={move} onEnd={() => setMove(undefined)} />
    </>
  );
}

const toIsoMonday = (week: Week | undefined) => week?.days[0]!.date.replaceAll('/', '-');

function toSelection(query: URLSearchParams): WeekSelection {
  const people = (query.get('people') ?? '').split(',').map(Number);
  return {
    from: parseDateToMonday(query.get('from')),
    people: people.filter((id) => Number.isSafeInteger(id) && id > 0).slice(0, MAX_CHOSEN_PEOPLE),
  };
}

function toAddress({ from, people, view }: WeekSelection & { view: WeekView }): string {
  const query = new URLSearchParams();
  if (from !== undefined) query.set('from', from);
  if (people.length > 0) query.set('people', people.join(','));
  if (view === 'list') query.set('view', view);
  const text = query.toString();
  return text === '' ? '/week' : `/week?${text}`;
}
