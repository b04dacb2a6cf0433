import type {
  AssignedClient,
  AssignedClientPage,
  CareSchedulingClient,
  Client,
  ClientPage,
  ReminderPage,
  SeriesSummary,
  Session,
  SessionDigest,
  SessionPage,
} from '@care-scheduling/client';
import { splitIntoBatches } from '../../../shared/batches.js';
import { listAll } from '../data/list-all.js';
import { MAX_SESSION_MINUTES } from '../data/session-duration.js';
import { useApiQuery } from '../data/use-api-query.js';
import { getCurrentTime, getTimeMinutesAgo } from '../ui/time/clock.js';
import { getStaffApi, isClinicSignedIn } from '../data/staff-api.js';
import { findNextSession } from './session-groups.js';

export const CLIENT_RECORD_QUERY_AREA = 'client-record';
const MAX_SESSIONS = 200;
const MAX_CLIENTS = 50;
const MAX_CALLS_FOR_NEXT = 5;
const MAX_REMINDERS = 30;

/** A Client, with the fields that both Clinics and Care Providers can read. */
export type StaffClientView = {
  id: number;
  name: string;
  /** null means the Clinic's time zone. */
  timeZone: string | null;
  active: boolean;
  hasEmail: boolean;
  /** IDs of the assigned Care Providers; undefined unless the caller is a Clinic. */
  careProviderIds: readonly number[] | undefined;
};

export type StaffClientList = { items: readonly StaffClientView[]; nextCursor: string | null };

/** Loads Clients. @param name words that the name must contain; empty for all Clients */
export function useClients(name: string, pages = 1, enabled = true) {
  return useApiQuery<StaffClientList>({
    key: [CLIENT_RECORD_QUERY_AREA, 'clients', name, pages],
    enabled,
    keepsPrevious: true,
    read: (api, signal) => listClients(api, { name: name || undefined, pages }, signal),
  });
}

async function listClients(
  { clinic, careProvider }: CareSchedulingClient,
  { name, pages }: { name: string | undefined; pages: number },
  signal: AbortSignal,
): Promise<StaffClientList> {
  const input = { ...(name !== undefined && { name }), active: true, sort: 'name' as const, limit: MAX_CLIENTS };
  const list = isClinicSignedIn()
    ? clinic.listClients(input, { signal })
    : careProvider.listAssignedClients(input, { signal });
  const items: StaffClientView[] = [];
  let nextCursor: string | null = null;
  let read = 0;
  for await (const page of list.pages() as AsyncIterable<AssignedClientPage | ClientPage>) {
    items.push(...page.items.map(toCareClient));
    nextCursor = page.nextCursor;
    read += 1;
    if (read === pages) break;
  }
  return { items, nextCursor };
}

export function useClient(id: number, enabled = true) {
  return useApiQuery<StaffClientView>({
    key: [CLIENT_RECORD_QUERY_AREA, 'client', id],
    enabled,
    read: async ({ clinic, careProvider }, signal) =>
      toCareClient(
        isClinicSignedIn()
          ? await clinic.getClient({ id }, { signal })
          : await careProvider.getAssignedClient({ id }, { signal }),
      ),
  });
}

function toCareClient(client: AssignedClient | Client): StaffClientView {
  const { id, name, timeZone, active } = client;
  const isOfClinic = 'careProviderIds' in client;
  const hasEmail = isOfClinic ? client.email !== null : client.hasEmail;
  return { id, name, timeZone, active, hasEmail, careProviderIds: isOfClinic ? client.careProviderIds : undefined };
}

/** The next Session of each Client: null if none is planned, and undefined if it is not known. */
export type NextSessions = ReadonlyMap<number, Session | null>;

/** Loads the next scheduled Session of each of these Clients, or the one that takes place now. */
export function useNextSessions(clientIds: readonly number[]) {
  return useApiQuery<NextSessions>({
    key: [CLIENT_RECORD_QUERY_AREA, 'ahead', ...clientIds],
    enabled: clientIds.length > 0,
    keepsPrevious: true,
    read: async (api, signal) => {
      const [at, from] = [getCurrentTime(), getTimeMinutesAgo(MAX_SESSION_MINUTES)];
      const parts = splitIntoBatches(clientIds, MAX_CLIENTS).map((ids) =>
        findNextSessions(api, { ids, from, at }, signal),
      );
      return new Map((await Promise.all(parts)).flatMap((part) => [...part]));
    },
  });
}

/**
 * The first page may contain Sessions of a few Clients only. Each further page is requested for the Clients that have
 * not been found.
 */
async function findNextSessions(
  api: CareSchedulingClient,
  { ids, from, at }: { ids: readonly number[]; from: string; at: string },
  signal: AbortSignal,
): Promise<NextSessions> {
  const next = new Map<number, Session | null>();
  let missing = ids;
  for (let calls = 0; missing.length > 0 && calls < MAX_CALLS_FOR_NEXT; calls += 1) {
    const { items, nextCursor }: SessionPage = await getStaffApi(api).listSessions(
      { from, clientId: [...missing], status: 'SCHEDULED', limit: MAX_SESSIONS },
      { signal },
    );
    for (const session of items)
      if (session.endsAt > at && !next.has(session.clientId)) next.set(session.clientId, session);
    missing = missing.filter((id) => !next.has(id));
    if (nextCursor !== null) continue;
    for (const id of missing) next.set(id, null);
    break;
  }
  return next;
}

/** Loads the next scheduled Session of a Client, or the one that takes place now. */
export function useNextSession(clientId: number, enabled: boolean) {
  return useApiQuery<Session | null>({
    key: [CLIENT_RECORD_QUERY_AREA, 'next', clientId],
    enabled,
    read: async (api, signal) => {
      const at = getCurrentTime();
      const list = (part: { from: string } | { to: string; sort: '-startsAt' }) =>
        getStaffApi(api).listSessions(
          { ...part, clientId, status: 'SCHEDULED', include: ['careProvider'], limit: 1 },
          { signal },
        );
      const [latest, next] = await Promise.all([list({ to: at, sort: '-startsAt' }), list({ from: at })]);
      return findNextSession([...latest.items, ...next.items], at) ?? null;
    },
  });
}

/** Sessions, and the time at which they were read. The page may stay open for days, and is then loaded again. */
type SessionsOfClient = { items: readonly Session[]; nextCursor: string | null; readAt: string };

/** Loads the Sessions of a Client, latest first. @param pages the number of pages to load */
export function useSessionsOfClient(clientId: number, pages = 1) {
  return useApiQuery<SessionsOfClient>({
    key: [CLIENT_RECORD_QUERY_AREA, 'sessions', clientId, pages],
    keepsPrevious: true,
    read: async (api, signal) => {
      const readAt = getCurrentTime();
      const include = ['books', 'careProvider', 'reminders'] as const;
      const list = getStaffApi(api).listSessions(
        { clientId, sort: '-startsAt', include: [...include], limit: MAX_SESSIONS },
        { signal },
      );
      const items: Session[] = [];
      let read = 0;
      for await (const page of list.pages()) {
        items.push(...page.items);
        read += 1;
        if (read === pages) return { items, nextCursor: page.nextCursor, readAt };
      }
      return { items, nextCursor: null, readAt };
    },
  });
}

/** Loads all series of a Client: each Session without a plan is a series of its own. */
export function useSeriesOfClient(clientId: number) {
  return useApiQuery<readonly SeriesSummary[]>({
    key: [CLIENT_RECORD_QUERY_AREA, 'series', clientId],
    read: (api, signal) => listAll((page) => getStaffApi(api).listSeries({ ...page, clientId }, { signal })),
  });
}

/** Loads the digest of a Session, which a Care Provider reads before the Session. */
export function useSessionDigest(sessionId: number) {
  return useApiQuery<SessionDigest>({
    key: [CLIENT_RECORD_QUERY_AREA, 'digest', sessionId],
    read: (api, signal) => getStaffApi(api).getSessionDigest({ id: sessionId }, { signal }),
  });
}

/** Loads a Client's latest reminders whose due time has passed. */
export function useRecentReminders(clientId: number, enabled: boolean) {
  return useApiQuery<ReminderPage>({
    key: [CLIENT_RECORD_QUERY_AREA, 'reminders', clientId],
    enabled,
    read: (api, signal) =>
      getStaffApi(api).listReminders(
        {
          recipientKind: 'CLIENT',
          recipientId: clientId,
          to: getCurrentTime(),
          sort: '-dueAt',
          include: ['books'],
          limit: MAX_REMINDERS,
        },
        { signal },
      ),
  });
}
