import type {
  Book,
  CloneDesignPlan,
  DesignPlanDiff,
  DesignPlanModel,
  DesignPlanPage,
  DesignPlanRevision,
  DesignPlanRevisionPage,
  ImportDesignPlan,
  ListDesignPlansInput,
  SeriesPage,
} from '@care-scheduling/client';
import { useMemo } from 'preact/hooks';
import { listAll } from '../data/list-all.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { toPlanRequest, toRestoreRevisionRequest, type PlanDraft } from './draft/draft.js';

const AREA = 'plan-editor';
const LIST_KEY = [AREA, 'list'];
const MAX_PAGE = 200;
const NEWEST_REVISIONS = 20;

export type PlanQuery = Pick<ListDesignPlansInput, 'name' | 'archived' | 'template' | 'sort' | 'limit'>;

export function useDesignPlanList(query: PlanQuery) {
  return useApiQuery<DesignPlanPage>({
    key: [...LIST_KEY, query],
    read: ({ clinic }, signal) => clinic.listDesignPlans({ ...query, count: 'estimated' }, { signal }),
    keepsPrevious: true,
  });
}

export function useDesignPlan(id: number, enabled = true) {
  return useApiQuery<DesignPlanModel>({
    key: [AREA, 'plan', id],
    enabled,
    read: ({ clinic }, signal) => clinic.getDesignPlan({ id }, { signal }),
  });
}

/** Finds Books by ID. */
export type BookLookup = {
  /** The Books that can be assigned, sorted by title. */
  usable: readonly Book[];
  find: (bookId: number) => Book | undefined;
};

/** Loads all Books, including deactivated ones, because a plan may still contain them. */
export function useBookLookup() {
  const read = useApiQuery<readonly Book[]>({
    key: [AREA, 'books'],
    read: ({ clinic }, signal) => listAll((page) => clinic.listBooks({ ...page, sort: 'title' }, { signal })),
  });
  const bookLookup = useMemo(() => createBookLookup(read.data ?? []), [read.data]);
  return { read, bookLookup };
}

function createBookLookup(books: readonly Book[]): BookLookup {
  const byId = new Map(books.map((book) => [book.id, book]));
  return { usable: books.filter(({ active }) => active), find: (id) => byId.get(id) };
}

/** Loads the series to which the plan has been applied. */
export function useSeriesOfPlan(designPlanId: number, enabled = true) {
  return useApiQuery<SeriesPage>({
    key: [AREA, 'series', designPlanId],
    enabled,
    read: ({ clinic }, signal) =>
      clinic.listSeries({ designPlanId, sort: '-createdAt', limit: MAX_PAGE, count: 'estimated' }, { signal }),
  });
}

/** A revision without its weeks. */
export type RevisionSummary = DesignPlanRevisionPage['items'][number];

/** Loads the newest revisions, or all of them. */
export function useRevisions(id: number, showsAll: boolean) {
  return useApiQuery<{ items: readonly RevisionSummary[]; hasMore: boolean }>({
    key: [AREA, 'revisions', id, showsAll],
    keepsPrevious: true,
    read: async ({ clinic }, signal) => {
      if (showsAll) {
        const items = await listAll((page) => clinic.listDesignPlanRevisions({ ...page, id }, { signal }));
        return { items, hasMore: false };
      }
      const { items, nextCursor } = await clinic.listDesignPlanRevisions({ id, limit: NEWEST_REVISIONS }, { signal });
      return { items, hasMore: nextCursor !== null };
    },
  });
}

export function useRevision(id: number, revision: number, enabled: boolean) {
  return useApiQuery<DesignPlanRevision>({
    key: [AREA, 'revision', id, revision],
    enabled,
    read: ({ clinic }, signal) => clinic.getDesignPlanRevision({ id, revision: String(revision) }, { signal }),
  });
}

export function useRevisionDiff(id: number, pair: { from: number; to: number } | undefined) {
  const { from, to } = pair ?? { from: 0, to: 0 };
  return useApiQuery<DesignPlanDiff>({
    key: [AREA, 'diff', id, from, to],
    enabled: pair !== undefined,
    read: ({ clinic }, signal) =>
      clinic.compareDesignPlanRevisions({ id, from: String(from), to: String(to) }, { signal }),
  });
}

/** `base` is the plan on which the draft is based; null for a new plan. */
export type SaveInput = { base: Pick<DesignPlanModel, 'id' | 'version'> | null; draft: PlanDraft };

export function useSavePlan(options: {
  done: (plan: DesignPlanModel) => string;
  onDone: (plan: DesignPlanModel, input: SaveInput) => void;
  showsError: (error: Error, input: SaveInput) => boolean;
}) {
  return useApiMutation<SaveInput, DesignPlanModel>({
    ...options,
    change: ({ clinic }, { base, draft }, options) => {
      const body = toPlanRequest(draft);
      if (base === null) return clinic.createDesignPlan({ body, prefer: 'return=representation' }, options);
      return clinic.replaceDesignPlan({ id: base.id, ifMatch: base.version, body });
    },
    refreshes: [[AREA]],
  });
}

export function useRestoreRevision(options: { done: (plan: DesignPlanModel) => string; onDone: () => void }) {
  return useApiMutation<{ id: number; revision: number }, DesignPlanModel>({
    ...options,
    change: async ({ clinic }, { id, revision }) => {
      const [plan, earlier] = await Promise.all([
        clinic.getDesignPlan({ id }),
        clinic.getDesignPlanRevision({ id, revision: String(revision) }),
      ]);
      return clinic.replaceDesignPlan({ id, ifMatch: plan, body: toRestoreRevisionRequest(earlier, plan.template) });
    },
    refreshes: [[AREA]],
  });
}

export function useClonePlan(options: {
  done: (plan: DesignPlanModel) => string;
  onDone: (plan: DesignPlanModel) => void;
  showsError: (error: Error) => boolean;
}) {
  return useApiMutation<{ id: number; body: CloneDesignPlan }, DesignPlanModel>({
    ...options,
    change: ({ clinic }, input, options) =>
      clinic.cloneDesignPlan({ ...input, prefer: 'return=representation' }, options),
    refreshes: [LIST_KEY],
  });
}

export function useImportPlan(options: {
  done: (plan: DesignPlanModel) => string;
  onDone: (plan: DesignPlanModel) => void;
  showsError: (error: Error) => boolean;
}) {
  return useApiMutation<ImportDesignPlan, DesignPlanModel>({
    ...options,
    change: ({ clinic }, body, options) => clinic.importDesignPlan({ body, prefer: 'return=representation' }, options),
    refreshes: [LIST_KEY],
  });
}

/** Archives a plan, or restores it from the archive. */
export function usePlanArchiveChange(options: { done: (plan: DesignPlanModel) => string; onDone?: () => void }) {
  return useApiMutation<{ id: number; archived: boolean }, DesignPlanModel>({
    ...options,
    change: ({ clinic }, { id, archived }) => {
      const input = { id, prefer: 'return=representation' } as const;
      return archived ? clinic.archiveDesignPlan(input) : clinic.restoreDesignPlan(input);
    },
    refreshes: [[AREA]],
  });
}
