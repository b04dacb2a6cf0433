import type { CancelSession, CareSchedulingClient, SeriesChange, Week, WeekSession } from '@care-scheduling/client';
import { useMemo } from 'preact/hooks';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { useCareProviders } from '../data/care-providers.js';
import { listAll } from '../data/list-all.js';
import { SESSION_QUERY_KEYS } from '../data/session-query-keys.js';
import { getSeenVersion, rememberVersion } from '../data/session-versions.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { findChangedSessionFields, applyMoveDraft, type MoveDraft, type ChangeScope } from './session-times.js';

const AREA = 'week';
/** Changes are sent one after another. The week is loaded after the last one, because it would not contain it before. */
const QUEUE = 'week changes';
/** The service filters by at most this many Care Providers. */
export const MAX_CHOSEN_PEOPLE = 50;

/** The operations that are available to both Care Providers and Clinics. */
type StaffOperations = Pick<
  CareSchedulingClient['careProvider'],
  | 'getWeek'
  | 'getSession'
  | 'getSeries'
  | 'changeSession'
  | 'cancelSession'
  | 'completeSession'
  | 'markSessionNoShow'
  | 'undoSessionStep'
  | 'getSessionDigest'
  | 'getSessionCalendar'
  | 'listReminders'
>;

function toStaff({ clinic, careProvider }: CareSchedulingClient): StaffOperations {
  return requireSignedInCaller().role === 'CLINIC' ? clinic : careProvider;
}

/** The week that is shown, and its filter. */
export type WeekSelection = {
  /** The Monday of the week, yyyy-MM-dd; undefined for the current week in the Clinic's time zone. */
  from: string | undefined;
  /** IDs of the Care Providers whose Sessions are shown; empty for all. */
  people: readonly number[];
};

const weekKey = ({ from, people }: WeekSelection) => [AREA, 'sessions', from ?? '', people.join(',')];

export function useWeek(selection: WeekSelection) {
  const { from, people } = selection;
  return useApiQuery<Week>({
    key: weekKey(selection),
    read: (api, signal) =>
      toStaff(api).getWeek(
        { ...(from !== undefined && { from }), ...(people.length > 0 && { caregiverId: [...people] }) },
        { signal },
      ),
    keepsPrevious: true,
  });
}

/**
 * Loads the active Care Providers of the Clinic. If the caller is a Care Provider, nothing is loaded, because there is no
 * filter by Care Provider.
 */
export function useActiveCareProviders() {
  const { data, isPending } = useCareProviders(requireSignedInCaller().role === 'CLINIC');
  return { data: useMemo(() => data?.filter(({ active }) => active), [data]), isPending };
}

/** Loads the reminders of a Session and its homework, including those that were sent. */
export function useRemindersOfSession(sessionId: number) {
  return useApiQuery({
    key: [AREA, 'reminders', sessionId],
    read: (api, signal) => listAll((page) => toStaff(api).listReminders({ ...page, sessionId }, { signal })),
  });
}

export function useSessionDigest(id: number, enabled: boolean) {
  return useApiQuery({
    key: [AREA, 'digest', id],
    enabled,
    read: (api, signal) => toStaff(api).getSessionDigest({ id }, { signal }),
  });
}

/** Loads the current state of a Session. */
export function useSavedSession(id: number) {
  return useApiQuery({
    key: [AREA, 'session', id],
    read: (api, signal) => toStaff(api).getSession({ id }, { signal }),
  });
}

/** Loads the current state of a series, with its reminders and the titles of the Books. */
export function useSeriesBeforeMove(seriesId: string) {
  return useApiQuery({
    key: [AREA, 'series', seriesId],
    read: (api, signal) => toStaff(api).getSeries({ seriesId, include: ['books', 'reminders'] }, { signal }),
  });
}

/** Loads the dry run of a move. @param enabled whether the draft is complete */
export function useMoveDryRun(session: WeekSession, draft: MoveDraft, enabled: boolean) {
  const { id, version } = session;
  return useApiQuery<SeriesChange>({
    key: [AREA, 'preview', id, version, draft],
    enabled,
    keepsPrevious: true,
    read: (api, signal) =>
      toStaff(api).changeSession(
        { id, ifMatch: version, dryRun: true, scope: draft.scope, body: findChangedSessionFields(session, draft) },
        { signal },
      ),
  });
}

export type SessionMove = { session: WeekSession; draft: MoveDraft };

type MoveOptions = {
  selection: WeekSelection;
  zone: string;
  done: (change: SeriesChange) => string;
  showsError: (error: Error, move: SessionMove) => boolean;
};

/**
 * Moves a Session or, with a scope, its series. The move is shown immediately, and reverted if the service refuses it.
 */
export function useSessionMove({ selection, zone, done, showsError }: MoveOptions) {
  return useApiMutation<SessionMove, SeriesChange>({
    change: (api, { session, draft }) =>
      toStaff(api).changeSession({
        id: session.id,
        ifMatch: session.version,
        scope: draft.scope,
        body: findChangedSessionFields(session, draft),
      }),
    optimistic: [
      {
        key: weekKey(selection),
        update: (week: Week, { session, draft }) => replaceSession(week, applyMoveDraft(session, draft, zone)),
      },
    ],
    queue: QUEUE,
    refreshes: SESSION_QUERY_KEYS,
    done,
    showsError,
  });
}

export type StatusChange =
  | { kind: 'complete' | 'no-show' | 'undo'; session: WeekSession }
  | { kind: 'cancel'; session: WeekSession; scope: ChangeScope; body: CancelSession };

const STATUS_AFTER = { complete: 'COMPLETED', 'no-show': 'NO_SHOW', cancel: 'CANCELLED', undo: 'SCHEDULED' } as const;

type StatusChangeOptions = {
  selection: WeekSelection;
  done: (step: StatusChange) => string;
  /** Returns what the user must know after the change, such as the overlaps of a Session that takes place again. */
  findWarning: (change: SeriesChange) => string | undefined;
};

/** Changes the status of a Session, unless another person has changed the Session since it was loaded. */
export function useStatusChange({ selection, done, findWarning }: StatusChangeOptions) {
  return useApiMutation<StatusChange, SeriesChange>({
    change: (api, step) => {
      const staff = toStaff(api);
      const seen = { id: step.session.id, ifMatch: getSeenVersion(step.session) };
      if (step.kind === 'cancel') return staff.cancelSession({ ...seen, scope: step.scope, body: step.body });
      if (step.kind === 'complete') return staff.completeSession(seen);
      return step.kind === 'no-show' ? staff.markSessionNoShow(seen) : staff.undoSessionStep(seen);
    },
    optimistic: [
      {
        key: weekKey(selection),
        update: (week: Week, { session, kind }) => replaceSession(week, { ...session, status: STATUS_AFTER[kind] }),
      },
    ],
    queue: QUEUE,
    refreshes: SESSION_QUERY_KEYS,
    done: (_change, step) => done(step),
    warning: findWarning,
    onDone: (change, { session }) => rememberVersion(session.id, change),
  });
}

function replaceSession(week: Week, session: WeekSession): Week {
  return { ...week, sessions: week.sessions.map((one) => (one.id === session.id ? session : one)) };
}

/** Loads the calendar file (iCalendar) of a Session when `mutate` is called, and passes its text to `onDone`. */
export function useCalendarFileDownload(onDone: (file: string) => void) {
  return useApiMutation<number, string | undefined>({
    change: (api, id) => toStaff(api).getSessionCalendar({ id, titles: 'FULL' }),
    refreshes: [],
    onDone: (file) => onDone(file ?? ''),
  });
}
