import type {
  CalendarLink,
  CalendarLinkPage,
  CareSchedulingClient,
  CreatedCalendarLink,
} from '@care-scheduling/client';
import { requireSignIn } from '../app/sign-in/sign-in.js';
import { useChange } from '../data/use-change.js';
import { useRead } from '../data/use-read.js';

const LINKS = ['calendar-link'];
/** Higher than the service's limit of ten links per person, so that all links are on one page. */
const LIMIT = 20;

export function useCalendarLinks() {
  return useRead<CalendarLinkPage>({
    key: LINKS,
    read: (api, signal) => operationsOf(api).listCalendarLinks({ limit: LIMIT }, { signal }),
  });
}

export function useCalendarLinkCreation(onDone: (link: CreatedCalendarLink) => void) {
  return useChange<CalendarLink['titles'], CreatedCalendarLink>({
    change: (api, titles) => operationsOf(api).createCalendarLink({ body: { titles } }),
    refreshes: [LINKS],
    onDone,
  });
}

export function useCalendarLinkRevocation(done: () => string, onDone: () => void) {
  return useChange<CalendarLink, unknown>({
    change: (api, { id }) => operationsOf(api).revokeCalendarLink({ id }),
    refreshes: [LINKS],
    done,
    onDone,
  });
}

export function useCalendarLinkRenewal(done: () => string) {
  return useChange<CalendarLink, CalendarLink>({
    change: (api, { id }) => operationsOf(api).renewCalendarLink({ id }),
    refreshes: [LINKS],
    done,
  });
}

export function useCalendarLinkRotation(onDone: (link: CreatedCalendarLink) => void) {
  return useChange<CalendarLink, CreatedCalendarLink>({
    change: (api, { id }) => operationsOf(api).rotateCalendarLink({ id }),
    refreshes: [LINKS],
    onDone,
  });
}

function operationsOf({ careProvider, client }: CareSchedulingClient) {
  return requireSignIn().role === 'CLIENT' ? client : careProvider;
}
