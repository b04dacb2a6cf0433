import type {
  CallOptions,
  CareSchedulingClient,
  DesignPlanModel,
  DesignPlanSummary,
  SeriesChange,
} from '@care-scheduling/client';
import { listAll } from '../data/list-all.js';
import { getStaffApi, isClinicSignedIn } from '../data/staff-api.js';
import { SESSION_QUERY_KEYS } from '../data/session-query-keys.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { toSessionTimesRequest } from '../session-form/session-times.js';
import type { ApplyPlanDraft } from './draft.js';

const AREA = 'apply-plan';
const MAX = 200;

export function useDesignPlanSearch(name: string) {
  return useApiQuery<readonly DesignPlanSummary[]>({
    key: [AREA, 'plans', name],
    keepsPrevious: true,
    read: async (api, signal) => {
      const filter = { sort: 'name' as const, limit: MAX, ...(name !== '' && { name }) };
      return (await getStaffApi(api).listDesignPlans(filter, { signal })).items;
    },
  });
}

export function useDesignPlan(id: number | undefined) {
  return useApiQuery<DesignPlanModel>({
    key: [AREA, 'plan', id ?? 0],
    enabled: id !== undefined,
    keepsPrevious: true,
    read: (api, signal) => getStaffApi(api).getDesignPlan({ id: id! }, { signal }),
  });
}

/** Loads the titles of Books, keyed by Book ID. */
export function useBookTitles() {
  return useApiQuery<ReadonlyMap<number, string>>({
    key: [AREA, 'books'],
    read: async ({ clinic, careProvider }, signal) => {
      const books = isClinicSignedIn()
        ? await listAll((page) => clinic.listBooks(page, { signal }))
        : await listAll((page) => careProvider.listUsableBooks(page, { signal }));
      return new Map(books.map(({ id, title }) => [id, title]));
    },
  });
}

/** Loads the dry run, which shows what applying the plan would create. */
export function useApplyDryRun(draft: ApplyPlanDraft, clientZone: string | null, enabled: boolean) {
  return useApiQuery<SeriesChange>({
    key: [AREA, 'dry-run', draft, clientZone],
    enabled,
    read: (api, signal) => apply(api, draft, clientZone, { dryRun: true, conflicts: 'report' }, { signal }),
  });
}

type CreateInput = { draft: ApplyPlanDraft; clientZone: string | null; conflicts: 'report' | 'reject' };

/**
 * Creates the Sessions of a plan for a Client.
 *
 * @param idempotencyKey key of the form, with which a request that is repeated after a lost response creates nothing
 *   twice
 */
export function useApplyPlan(options: {
  idempotencyKey: string;
  done: (change: SeriesChange) => string;
  onDone: (change: SeriesChange) => void;
}) {
  const { idempotencyKey, done, onDone } = options;
  return useApiMutation<CreateInput, SeriesChange>({
    change: (api, { draft, clientZone, conflicts }) =>
      apply(api, draft, clientZone, { dryRun: false, conflicts }, { idempotencyKey }),
    refreshes: SESSION_QUERY_KEYS,
    showsError: () => true,
    done,
    onDone,
  });
}

function apply(
  { clinic, careProvider }: CareSchedulingClient,
  { planId, clientId, caregiverId, when }: ApplyPlanDraft,
  clientZone: string | null,
  mode: { dryRun: boolean; conflicts: 'report' | 'reject' },
  options: CallOptions,
): Promise<SeriesChange> {
  const { offset, body: timing } = toSessionTimesRequest(when, clientZone);
  const input = { id: planId!, ...mode, ...(offset !== undefined && { offset }) };
  const body = { clientId: clientId!, ...timing };
  return isClinicSignedIn()
    ? clinic.applyDesignPlan({ ...input, body: { ...body, caregiverId: caregiverId! } }, options)
    : careProvider.applyDesignPlan({ ...input, body }, options);
}
