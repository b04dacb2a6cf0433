import { isProblem, type CareSchedulingClient } from '@care-scheduling/client';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { getApi } from './api.js';

/** A query key that begins with the area of the page, such as `['my-care', 'homework']`. */
export type QueryKeyParts = readonly (string | number | boolean | null | object)[];

/** Refreshes everything, after changes that nearly all pages show, such as those of names. */
export const ALL_QUERIES: readonly QueryKeyParts[] = [[]];

export type ApiQueryOptions<T> = {
  key: QueryKeyParts;
  read: (api: CareSchedulingClient, signal: AbortSignal) => Promise<T>;
  /** If false, nothing is loaded. */
  enabled?: boolean;
  /** Polling interval in milliseconds, for data that changes while the page is open. */
  every?: number;
  /** Whether to show the previous data until new data has been loaded, for example after a filter has changed. */
  keepsPrevious?: boolean;
};

/** Loads data through the typed client, and again when the tab gets the focus, after a reconnect, and after changes. */
export function useApiQuery<T>({
  key,
  read,
  enabled = true,
  every,
  keepsPrevious,
}: ApiQueryOptions<T>): UseQueryResult<T> {
  const result = useQuery<T>({
    queryKey: toCallerQueryKey(key),
    queryFn: ({ signal }) => read(getApi(), signal),
    enabled,
    ...(every !== undefined && { refetchInterval: every }),
    ...(keepsPrevious && { placeholderData: (previous: T | undefined) => previous as never }),
  });
  // Data that the caller may no longer read must not stay on the page.
  const isGone = isProblem(result.error, 'forbidden') || isProblem(result.error, 'not-found');
  return isGone ? ({ ...result, data: undefined } as UseQueryResult<T>) : result;
}

/** Adds the caller to a key, so that callers do not share cached data. */
export function toCallerQueryKey(key: QueryKeyParts): readonly unknown[] {
  return [requireSignedInCaller().id, ...key];
}
