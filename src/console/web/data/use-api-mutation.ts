import { isProblem, type CallOptions, type CareSchedulingClient } from '@care-scheduling/client';
import { useMutation, type UseMutationResult } from '@tanstack/preact-query';
import { useRef } from 'preact/hooks';
import { requireSignedInCaller, signInState, type SignedInCaller } from '../app/sign-in/sign-in.js';
import { showProblem, showSuccess, showWarning } from '../ui/toast.js';
import { getApi } from './api.js';
import { useIdempotencyKeys } from './idempotency-key.js';
import { queryClient } from './query-client.js';
import { toCallerQueryKey, type QueryKeyParts } from './use-api-query.js';
import { useWhileMounted } from './use-while-mounted.js';

/**
 * Updates the loaded data of a query before the service has responded. If the change fails, the update is reverted and a
 * message is shown.
 */
export type OptimisticUpdate<Input> = {
  key: QueryKeyParts;
  /** Returns the new data of the query. Must not modify `current`. */
  update: (current: never, input: Input) => unknown;
};

export type ApiMutationOptions<Input, Result> = {
  /**
   * Sends the change. A change that must not be executed twice passes on `options`: its idempotency key stays the same
   * when the user sends the same input again after a failure.
   */
  change: (api: CareSchedulingClient, input: Input, options: CallOptions) => Promise<Result>;
  optimistic?: readonly OptimisticUpdate<Input>[];
  /**
   * Changes with the same queue name are sent one after another. The queries are reloaded only after the last one,
   * because earlier responses would not contain the changes that are still waiting.
   */
  queue?: string;
  /**
   * Key prefixes of the queries that are reloaded when the change has succeeded or failed, or with `queue`, after the
   * last change of the queue.
   */
  refreshes: readonly QueryKeyParts[];
  /** Returns the message to show after success. */
  done?: (result: Result, input: Input) => string;
  /** Returns what the user should check after success, such as overlaps, if anything. */
  warning?: (result: Result, input: Input) => string | undefined;
  onDone?: (result: Result, input: Input) => void;
  /**
   * Returns true if the page shows the error itself, for example next to form fields. By default, and once the user has
   * left the page or closed the dialog, a message shows it.
   */
  showsError?: (error: Error, input: Input) => boolean;
};

type Before = readonly (readonly [queryKey: readonly unknown[], value: unknown])[];

/** The caller when the change was sent, and the data before an optimistic update. */
type Sent = { caller: SignedInCaller; before: Before };

/**
 * Changes data through the typed client. `mutate(input)` sends the change; `isPending` is true while it runs. A response
 * that arrives after the caller has signed out is ignored, because its message must not be shown to another caller. The
 * same input is not sent again while it runs, except with `queue`, where it may be meant to follow another change.
 */
export function useApiMutation<Input, Result>(
  options: ApiMutationOptions<Input, Result>,
): UseMutationResult<Result, Error, Input, Sent> {
  const mutation = useRepeatableMutation(options);
  const running = useRef(new Set<string>());
  const mutate: typeof mutation.mutate = (...args) => {
    const input = JSON.stringify(args.slice(0, 1));
    // The second click of a double click may arrive before the button is shown as busy.
    if (options.queue === undefined && running.current.has(input)) return;
    running.current.add(input);
    const end = () => void running.current.delete(input);
    mutation.mutateAsync(...args).then(end, end);
  };
  return { ...mutation, mutate };
}

function useRepeatableMutation<Input, Result>(
  options: ApiMutationOptions<Input, Result>,
): UseMutationResult<Result, Error, Input, Sent> {
  const { change, optimistic = [], queue, refreshes, done, warning, onDone, showsError } = options;
  const keys = useIdempotencyKeys<Input>();
  const isShownByPage = useWhileMounted((error: Error, input: Input) => showsError?.(error, input));
  return useMutation<Result, Error, Input, Sent>({
    mutationFn: (input) => change(getApi(), input, { idempotencyKey: keys.getKey(input) }),
    ...(queue !== undefined && { scope: { id: queue }, mutationKey: [queue] }),
    onMutate: async (input) => {
      const caller = requireSignedInCaller();
      return { caller, before: await applyOptimistic(optimistic, input) };
    },
    onSuccess: (result, input, sent) => {
      keys.forget();
      if (hasSignedOut(sent)) return;
      if (done !== undefined) showSuccess(done(result, input));
      const toCheck = warning?.(result, input);
      if (toCheck !== undefined) showWarning(toCheck);
      onDone?.(result, input);
    },
    onError: (error, input, sent) => {
      if (hasSignedOut(sent)) return;
      const before = sent?.before ?? [];
      for (const [queryKey, value] of before) queryClient.setQueryData(queryKey, value);
      if (isShownByPage(error, input) !== true) showProblem(error, { isRolledBack: before.length > 0 });
    },
    onSettled: async (_result, _error, _input, sent) => {
      if (hasSignedOut(sent)) return;
      // The current change is still counted, so a count above 1 means that other changes in the queue are waiting.
      if (queue !== undefined && queryClient.isMutating({ mutationKey: [queue] }) > 1) return;
      await Promise.all(refreshes.map((key) => queryClient.invalidateQueries({ queryKey: toCallerQueryKey(key) })));
    },
  });
}

function hasSignedOut(sent: Sent | undefined): boolean {
  const state = signInState.get();
  return state.kind !== 'signed-in' || (sent !== undefined && sent.caller !== state.caller);
}

async function applyOptimistic<Input>(updates: readonly OptimisticUpdate<Input>[], input: Input): Promise<Before> {
  const keys = updates.map(({ key }) => toCallerQueryKey(key));
  // A query that started before the change would overwrite the new value with the old one.
  await Promise.all(keys.map((queryKey) => queryClient.cancelQueries({ queryKey })));
  return updates.flatMap(({ update }, index) => {
    const queryKey = keys[index]!;
    const value = queryClient.getQueryData(queryKey);
    if (value === undefined) return [];
    queryClient.setQueryData(queryKey, update(value as never, input));
    return [[queryKey, value] as const];
  });
}

/** Whether the record has been changed since it was read (412). */
export function isVersionConflict(error: unknown): boolean {
  return isProblem(error, 'precondition-failed');
}
