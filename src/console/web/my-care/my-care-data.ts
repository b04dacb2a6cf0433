import type { ClientHomework, ClientHomeworkPage, ClientSession } from '@care-scheduling/client';
import { useMemo } from 'preact/hooks';
import { MAX_SESSION_MINUTES } from '../data/session-duration.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { getCurrentTime, getTimeMinutesAgo } from '../ui/time/clock.js';

const AREA = 'my-care';
const HOMEWORK = [AREA, 'homework'];
const AHEAD = [AREA, 'sessions', 'ahead'];
const MAX_AHEAD = 20;
const MAX_PAST = 50;
const MAX_HOMEWORK = 100;

/**
 * Loads the upcoming Sessions, and the one that takes place now. A Session that begins or ends while the page is open
 * stays visible.
 */
export function useOwnUpcomingSessions() {
  const at = useMemo(getCurrentTime, []);
  const from = useMemo(() => getTimeMinutesAgo(MAX_SESSION_MINUTES), []);
  return useApiQuery<readonly ClientSession[]>({
    key: AHEAD,
    read: async ({ client }, signal) => {
      const { items } = await client.listSessions(
        { from, status: ['SCHEDULED', 'PAUSED'], include: ['careProvider', 'reminders'], limit: MAX_AHEAD },
        { signal },
      );
      return items.filter(({ endsAt }) => endsAt > at);
    },
  });
}

/** Loads past Sessions, latest first. @param enabled whether the user has opened the list */
export function usePastSessions(enabled: boolean) {
  const to = useMemo(getCurrentTime, []);
  return useApiQuery<readonly ClientSession[]>({
    key: [AREA, 'sessions', 'past'],
    enabled,
    read: async ({ client }, signal) => {
      const { items } = await client.listSessions(
        { to, sort: '-startsAt', include: ['careProvider'], limit: MAX_PAST },
        { signal },
      );
      // The Session that takes place now is among the upcoming ones.
      return items.filter(({ status, endsAt }) => endsAt <= to || (status !== 'SCHEDULED' && status !== 'PAUSED'));
    },
  });
}

/** Loads the homework of the latest Sessions, including completed homework. */
export function useHomework() {
  return useApiQuery<ClientHomeworkPage>({
    key: HOMEWORK,
    read: ({ client }, signal) => client.listHomework({ sort: '-startsAt', limit: MAX_HOMEWORK }, { signal }),
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

function markHomework(page: ClientHomeworkPage, { homework, isDone }: HomeworkChange): ClientHomeworkPage {
  const completedAt = isDone ? getCurrentTime() : null;
  return { ...page, items: page.items.map((one) => (one.id === homework.id ? { ...one, completedAt } : one)) };
}
