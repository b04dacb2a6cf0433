import type { AuditEntryPage, ExportAuditEntriesInput, ReminderPreference } from '@care-scheduling/client';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { saveFile } from '../ui/save-file.js';
import { getCurrentTime } from '../ui/time/clock.js';
import { addOneDayToIsoDate, toStartOfDay } from '../ui/time/local-day.js';
import { readNextCursor, toNdjsonLines, type AuditFilterValues } from './audit-filters.js';

const LIMIT = 25;
/**
 * Maximum number of parts of an export. Each part has up to 10,000 entries, and the browser keeps all parts in memory.
 */
const MAX_PARTS = 20;

type Zone = { timeZone: string | undefined; failure: { error: unknown; retry: () => void } | undefined };

/**
 * Returns the time zone in which the audit trail shows times: that of the Clinic, or UTC for an administrator. Entries
 * are not read before it is known.
 */
export function useAuditTimeZone(): Zone {
  const { role } = requireSignedInCaller();
  const preference = useApiQuery<ReminderPreference>({
    key: ['preferences'],
    enabled: role === 'CLINIC',
    read: ({ clinic }, signal) => clinic.getReminderPreference({ signal }),
  });
  if (role !== 'CLINIC') return { timeZone: 'UTC', failure: undefined };
  const { data, error, refetch } = preference;
  const hasFailed = data === undefined && error !== null;
  return {
    timeZone: data?.effective.timeZone,
    failure: hasFailed ? { error, retry: () => void refetch() } : undefined,
  };
}

function toInput(
  { role, access, outcome, record, from, to }: AuditFilterValues,
  timeZone: string,
): ExportAuditEntriesInput {
  const [after, before] = [toStartOfDay(from, timeZone), toStartOfDay(addOneDayToIsoDate(to), timeZone)];
  return {
    ...(role !== '' && { actorRole: role }),
    ...(access !== '' && { access }),
    ...(outcome !== '' && { outcome }),
    ...(record !== '' && { record }),
    ...(after !== undefined && { from: after }),
    ...(before !== undefined && { to: before }),
  };
}

export function useAuditEntries(filters: AuditFilterValues, timeZone: string | undefined, cursor: string | undefined) {
  const { role } = requireSignedInCaller();
  return useApiQuery<AuditEntryPage>({
    key: ['audit', filters, cursor ?? null],
    enabled: timeZone !== undefined,
    keepsPrevious: true,
    read: ({ clinic, admin }, signal) => {
      const input = { ...toInput(filters, timeZone!), limit: LIMIT, ...(cursor !== undefined && { cursor }) };
      return (role === 'ADMIN' ? admin : clinic).listAuditEntries(input, { signal });
    },
  });
}

/** Reads all matching entries, oldest first, and saves them as a file. */
export function useAuditExport(
  filters: AuditFilterValues,
  timeZone: string | undefined,
  done: (count: number, isWhole: boolean) => string,
) {
  const { role } = requireSignedInCaller();
  return useApiMutation<undefined, { content: Blob; count: number; isWhole: boolean }>({
    change: async ({ clinic, admin }) => {
      const [now, { to = now, ...others }] = [getCurrentTime(), toInput(filters, timeZone!)];
      // The end is never in the future, because the export would then include entries that are written while it runs.
      const input = { ...others, to: to < now ? to : now };
      const parts: string[] = [];
      let count = 0;
      let cursor: string | undefined;
      do {
        const call = (role === 'ADMIN' ? admin : clinic).exportAuditEntries({ ...input, ...(cursor && { cursor }) });
        const { data, headers } = await call.withResponse();
        parts.push(toNdjsonLines(data));
        count += data.length;
        cursor = readNextCursor(headers.get('link'));
      } while (cursor !== undefined && parts.length < MAX_PARTS);
      const content = new Blob(parts, { type: 'application/x-ndjson' });
      return { content, count, isWhole: cursor === undefined };
    },
    refreshes: [],
    done: ({ count, isWhole }) => done(count, isWhole),
    // Not in `change`, because the file must not be saved after the caller has signed out.
    onDone: ({ content }) => saveFile('audit.ndjson', content),
  });
}
