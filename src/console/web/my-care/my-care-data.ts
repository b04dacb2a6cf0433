import type { ClientHomework, ClientSession } from '@care-scheduling/client';
import { listAll } from '../data/list-all.js';
import { MAX_SESSION_MINUTES } from '../data/session-duration.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { getCurrentTime, getTimeMinutesAgo } from '../ui/time/clock.js';

const AREA = 'my-care';
const HOMEWORK = [AREA, 'homework'];
const AHEAD = [AREA, 'sessions', 'ahead'];

export type UpcomingSessions = {
  sessions: readonly ClientSession[];
  /** Whether the care is paused, and no Session is scheduled. */
  isOnHold: boolean;
};

/** Loads the upcoming Sessions, and the one that takes place now. */
export function useOwnUpcomingSessions() {
  return useApiQuery<UpcomingSessions>({
    key: AHEAD,
    read: async ({ client }, signal) => {
      // The time of the request, because the page may stay open for days.
      const [at, from] = [getCurrentTime(), getTimeMinutesAgo(MAX_SESSION_MINUTES)];
      const found = await listAll((page) =>
        client.listSessions(
          { ...page, from, status: ['SCHEDULED', 'PAUSED'], include: ['careProvider', 'reminders'] },
          { signal },
        ),
      );
      const sessions = found.filter(({ endsAt }) => endsAt > at);
      if (sessions.length > 0) return { sessions, isOnHold: sessions.every(({ status }) => status === 'PAUSED') };
      // Only without upcoming Sessions, a second request finds a pause whose dates have passed.
      const paused = await client.listSessions({ status: 'PAUSED', limit: 1 }, { signal });
      return { sessions, isOnHold: paused.items.length > 0 };
    },
  });
}

/** Loads past Sessions, latest first. @param enabled whether the user has opened the list */
export function usePastSessions(enabled: boolean) {
  return useApiQuery<readonly ClientSession[]>({
    key: [AREA, 'sessions', 'past'],
    enabled,
    read: async ({ client }, signal) => {
      const to = getCurrentTime();
      const sessions = await listAll((page) =>
        client.listSessions({ ...page, to, sort: '-startsAt', include: ['careProvider'] }, { signal }),
      );
      // The Session that takes place now is among the upcoming ones.
      return sessions.filter(({ status, endsAt }) => endsAt <= to || (status !== 'SCHEDULED' && status !== 'PAUSED'));
    },
  });
}

/** Loads all homework: a long series has homework of many weeks after the current one. */
export function useHomework() {
  return useApiQuery<readonly ClientHomework[]>({
    key: HOMEWORK,
    read: ({ client }, signal) => listAll((page) => client.listHomework({ ...page, sort: '-startsAt' }, { signal })),
  });
}

export type HomeworkChange = { homework: ClientHomework; isDone: boolean };

/** Marks homework as done or not done. The page shows the change immediately. */
export function useHomeworkChange() {
  return useApiMutation<HomeworkChange, ClientHomework>({
    change: ({ client }, { homework: { id }, isDone }) =>
      isDone ? client.completeHomework({ id }) : client.reopenHomework({ id }),
    optimistic: [{ key: HOMEWORK, update: markHomework }],
    // With a queue, a change is not lost while an earlier one is being saved.
    queue: 'my-care homework',
    // Reminders are withdrawn or restored, so the Sessions are loaded again as well.
    refreshes: [HOMEWORK, AHEAD],
  });
}

function markHomework(all: readonly ClientHomework[], { homework, isDone }: HomeworkChange): readonly ClientHomework[] {
  const completedAt = isDone ? getCurrentTime() : null;
  return all.map((one) => (one.id === homework.id ? { ...one, completedAt } : one));
}
