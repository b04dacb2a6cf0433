import type {
  CalendarLink,
  CalendarLinkPage,
  CareSchedulingClient,
  CreatedCalendarLink,
} from '@care-scheduling/client';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';

const LINKS = ['calendar-link'];
/** Higher than the service's limit of ten links per person, so that all links are on one page. */
const LIMIT = 20;

export function useCalendarLinks() {
  return useApiQuery<CalendarLinkPage>({
    key: LINKS,
    read: (api, signal) => operationsOf(api).listCalendarLinks({ limit: LIMIT }, { signal }),
  });
}

export function useCalendarLinkCreation(onDone: (link: CreatedCalendarLink) => void) {
  return useApiMutation<CalendarLink['titles'], CreatedCalendarLink>({
    change: (api, titles, options) => operationsOf(api).createCalendarLink({ body: { titles } }, options),
    refreshes: [LINKS],
    onDone,
  });
}

export function useCalendarLinkRevocation(done: () => string, onDone: () => void) {
  return useApiMutation<CalendarLink, unknown>({
    change: (api, { id }) => operationsOf(api).revokeCalendarLink({ id }),
    refreshes: [LINKS],
    done,
    onDone,
  });
}

export function useCalendarLinkRenewal(done: () => string) {
  return useApiMutation<CalendarLink, CalendarLink>({
    change: (api, { id }) => operationsOf(api).renewCalendarLink({ id }),
    refreshes: [LINKS],
    done,
  });
}

export function useCalendarLinkRotation(onDone: (link: CreatedCalendarLink) => void) {
  return useApiMutation<CalendarLink, CreatedCalendarLink>({
    change: (api, { id }, options) => operationsOf(api).rotateCalendarLink({ id }, options),
    refreshes: [LINKS],
    onDone,
  });
}

function operationsOf({ careProvider, client }: CareSchedulingClient) {
  return requireSignedInCaller().role === 'CLIENT' ? client : careProvider;
}
