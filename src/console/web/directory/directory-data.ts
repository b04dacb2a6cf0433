import type { Client, ImportResult, Reassigned, SessionPage } from '@care-scheduling/client';
import { listAll, MAX_LISTED } from '../data/list-all.js';
import { isVersionConflict, useApiMutation } from '../data/use-api-mutation.js';
import { ALL_QUERIES, useApiQuery } from '../data/use-api-query.js';
import { useWhileMounted } from '../data/use-while-mounted.js';
import { getCurrentTime } from '../ui/time/clock.js';
import type { ParsedImportFile } from './import/import-file.js';
import {
  RECORD_KINDS,
  toListQuery,
  type RecordFieldChanges,
  type DirectoryRecord,
  type RecordFieldName,
  type RecordKindName,
  type RecordListQuery,
  type RecordPage,
} from './record/record-kinds.js';
import { findConflictingFields } from './record/record-values.js';

const AREA = 'directory';

export function useDirectoryRecords(kind: RecordKindName, query: RecordListQuery) {
  return useApiQuery<RecordPage>({
    key: [AREA, kind, 'list', query],
    keepsPrevious: true,
    read: (api, signal) => RECORD_KINDS[kind].list(api, toListQuery(kind, query), signal),
  });
}

/** Loads the upcoming Sessions of a person: the first ones, and their total number. */
export function useUpcomingSessionsOfPerson(kind: RecordKindName, id: number, enabled: boolean) {
  const isClient = kind === 'clients';
  return useApiQuery<SessionPage>({
    key: [AREA, kind, 'ahead', id],
    enabled,
    read: ({ clinic }, signal) =>
      clinic.listSessions(
        {
          ...(isClient ? { clientId: id } : { caregiverId: id }),
          ...{ from: getCurrentTime(), status: ['SCHEDULED', 'PAUSED'], limit: 5, count: 'exact' },
          include: [isClient ? 'careProvider' : 'client'],
        },
        { signal },
      ),
  });
}

/** Thrown if another person has changed the same fields since the form was opened. */
export class RecordConflictError extends Error {
  constructor(
    readonly saved: DirectoryRecord,
    readonly fields: readonly RecordFieldName[],
  ) {
    super('changed in the meantime');
  }
}

export type RecordSaveInput =
  /** For a new record. */
  | { seen?: undefined; changes: RecordFieldChanges }
  /**
   * For an existing record. `seen` is the version that the user saw last, either in the form or in the conflict dialog.
   */
  | { seen: DirectoryRecord; changes: RecordFieldChanges };

/**
 * Creates a record or changes an existing one. If another person has changed different fields in the meantime, both
 * changes are kept, because only changed fields are sent.
 */
export function useSaveRecord(kind: RecordKindName, done: () => string, onDone: () => void) {
  const operations = RECORD_KINDS[kind];
  return useApiMutation<RecordSaveInput, unknown>({
    change: async (api, save, options) => {
      const { seen, changes } = save;
      if (seen === undefined) return operations.create(api, changes, options);
      try {
        return await operations.change(api, seen.id, changes, seen.version);
      } catch (error) {
        if (!isVersionConflict(error)) throw error;
        const saved = await operations.get(api, seen.id);
        const fields = findConflictingFields(changes, seen, saved);
        if (fields.length > 0) throw new RecordConflictError(saved, fields);
        return operations.change(api, seen.id, changes, saved.version);
      }
    },
    refreshes: ALL_QUERIES,
    done,
    onDone: useWhileMounted(onDone),
    showsError: () => true,
  });
}

/** Activates or deactivates a record. */
export function useActivationChange(kind: RecordKindName, done: (isActive: boolean) => string, onDone: () => void) {
  const operations = RECORD_KINDS[kind];
  return useApiMutation<{ id: number; isActive: boolean }, unknown>({
    change: (api, { id, isActive }) =>
      isActive ? operations.change(api, id, { active: true }) : operations.deactivate(api, id),
    refreshes: ALL_QUERIES,
    done: (_, { isActive }) => done(isActive),
    onDone: useWhileMounted(onDone),
  });
}

/** Assigns a Client to a Care Provider, or ends the assignment. */
export function useAssignmentChange(done: (isAssigned: boolean) => string) {
  return useApiMutation<{ id: number; careProviderId: number; isAssigned: boolean }, unknown>({
    change: ({ clinic }, { isAssigned, ...ids }) =>
      isAssigned ? clinic.assignClient(ids) : clinic.unassignClient(ids),
    // The service could execute two quick changes of one assignment in the other order.
    queue: 'directory-assignment',
    refreshes: ALL_QUERIES,
    done: (_, { isAssigned }) => done(isAssigned),
  });
}

/**
 * Loads the Clients of a Care Provider that match a name. `isPart` is true if more Clients of the Clinic match than
 * are listed; the user can then find further Clients with a more specific name.
 */
export function useAssignedClients(careProviderId: number, name: string) {
  return useApiQuery<{ items: Client[]; isPart: boolean }>({
    key: [AREA, 'clients', 'of', careProviderId, name],
    keepsPrevious: true,
    read: async ({ clinic }, signal) => {
      const query = { sort: 'name', ...(name !== '' && { name }) } as const;
      // The service has no filter by Care Provider, and the Clients of this one may be anywhere in the list.
      const all = await listAll((page) => clinic.listClients({ ...page, ...query }, { signal }));
      const own = all.filter(({ careProviderIds }) => careProviderIds.includes(careProviderId));
      return { items: own, isPart: all.length === MAX_LISTED };
    },
  });
}

type ReassignmentOptions = {
  done: (result: Reassigned) => string;
  describeOverlaps: (count: number) => string;
  onDone: () => void;
};

/** Reassigns all Clients of a Care Provider, or those in `clientIds`, to another Care Provider. */
export function useClientReassignment({ done, describeOverlaps, onDone }: ReassignmentOptions) {
  return useApiMutation<{ id: number; toCareProviderId: number; clientIds?: number[] }, Reassigned>({
    change: ({ clinic }, { id, ...body }, options) => clinic.reassignClients({ id, body }, options),
    refreshes: ALL_QUERIES,
    done,
    warning: ({ conflictCount }) => (conflictCount > 0 ? describeOverlaps(conflictCount) : undefined),
    onDone: useWhileMounted(onDone),
  });
}

/**
 * Imports the records of a file, and returns one result per line. Lines without a valid record are not sent, but are
 * refused here. A message tells the results if the user has closed the dialog by then.
 *
 * @param summarise returns that message
 */
export function useImportRecords(kind: RecordKindName, summarise: (results: readonly ImportResult[]) => string) {
  const isDialogOpen = useWhileMounted(() => true);
  return useApiMutation<ParsedImportFile, ImportResult[]>({
    change: async (api, { records, lines, broken }) => {
      const results = records.length === 0 ? [] : await RECORD_KINDS[kind].import(api, records);
      const told = results.map((result) => ({ ...result, line: lines[result.line - 1] ?? result.line }));
      return [...told, ...broken.map((line): ImportResult => ({ line, status: 'refused', errors: [] }))].toSorted(
        (one, other) => one.line - other.line,
      );
    },
    refreshes: ALL_QUERIES,
    warning: (results) => (isDialogOpen() ? undefined : summarise(results)),
    showsError: () => true,
  });
}
