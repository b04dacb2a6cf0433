import type {
  ListRemindersInput,
  Redriven,
  ReminderMessage,
  ReminderPage,
  ReminderPreference,
  ReminderWithHistory,
  SessionDetail,
} from '@care-scheduling/client';
import { getStaffApi } from '../data/staff-api.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { addOneDayToIsoDate, toStartOfDay } from '../ui/time/local-day.js';
import { OUTBOX_TABS, type OutboxFilterValues } from './outbox-filters.js';
import { parseReminderRule } from './reminder-rule.js';

const AREA = 'outbox';
const LIMIT = 25;
/** How often the list is loaded again, because reminders are sent while the page is open. */
const POLL_INTERVAL_MS = 30_000;

/** Loads the Clinic's reminder preference. The list shows times in its time zone. */
export function useClinicReminderPreference() {
  return useApiQuery<ReminderPreference>({
    key: ['preferences'],
    read: ({ clinic }, signal) => clinic.getReminderPreference({ signal }),
  });
}

export function toReminderQuery(filters: OutboxFilterValues, timeZone: string): ListRemindersInput {
  const { tab, kind, recipientKind, from, to, session } = filters;
  const { status, sort } = OUTBOX_TABS[tab];
  const [after, before] = [toStartOfDay(from, timeZone), toStartOfDay(addOneDayToIsoDate(to), timeZone)];
  return {
    ...{ status: [...status], sort },
    ...(kind !== '' && { kind }),
    ...(recipientKind !== '' && { recipientKind }),
    ...(after !== undefined && { from: after }),
    ...(before !== undefined && { to: before }),
    ...(session !== '' && { sessionId: Number(session) }),
  };
}

export function useOutboxReminders(
  filters: OutboxFilterValues,
  timeZone: string | undefined,
  cursor: string | undefined,
) {
  return useApiQuery<ReminderPage>({
    key: [AREA, 'list', filters, cursor ?? null],
    enabled: timeZone !== undefined,
    every: POLL_INTERVAL_MS,
    keepsPrevious: true,
    read: ({ clinic }, signal) =>
      clinic.listReminders(
        {
          ...toReminderQuery(filters, timeZone!),
          ...{ include: ['client', 'careProvider', 'books'], limit: LIMIT, count: 'estimated' },
          ...(cursor !== undefined && { cursor }),
        },
        { signal },
      ),
  });
}

/** `session` is undefined if the reminder is the notice of the erasure of its Session. */
export type ReminderWithSession = { reminder: ReminderWithHistory; session: SessionDetail | undefined };

/** Loads a reminder with its history and, if it still exists, its Session. */
export function useReminder(id: number) {
  return useApiQuery<ReminderWithSession>({
    key: [AREA, 'reminder', id],
    read: async (api, signal) => {
      const staff = getStaffApi(api);
      const reminder = await staff.getReminder({ id, include: ['client', 'careProvider', 'books'] }, { signal });
      const rule = parseReminderRule(reminder.history[0]?.rule ?? '');
      if (rule?.kind === 'erased') return { reminder, session: undefined };
      return { reminder, session: await staff.getSession({ id: reminder.sessionId }, { signal }) };
    },
  });
}

/** Loads the text of a reminder as the service sends it. */
export function useReminderMessage(id: number) {
  return useApiQuery<ReminderMessage>({
    key: [AREA, 'message', id],
    read: ({ clinic }, signal) => clinic.getReminderMessage({ id }, { signal }),
  });
}

/** The record of a Client shows recent reminders, too. */
const REDRIVE_REFRESHES = [[AREA], ['client-record', 'reminders']];

/** Sends one reminder again. */
export function useRedriveReminder(done: () => string) {
  return useApiMutation<number, ReminderWithHistory>({
    change: ({ clinic }, id) => clinic.redriveReminder({ id }),
    refreshes: REDRIVE_REFRESHES,
    done,
  });
}

/** Sends all failed reminders again, or all reminders that were skipped because they were too late. */
export function useRedriveAllReminders(done: (count: number) => string, onDone: () => void) {
  return useApiMutation<'DEAD' | 'SKIPPED', Redriven>({
    change: ({ clinic }, status, options) => clinic.redriveReminders({ status }, options),
    refreshes: REDRIVE_REFRESHES,
    done: ({ redriven }) => done(redriven),
    onDone,
  });
}
