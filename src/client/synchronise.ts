import type { ListPromise } from './api-promise.js';
import { isProblem } from './problem-error.js';

type SyncPage = { syncToken?: string | null };
/** The query parameters that start a synchronisation, or continue it from a token. */
export type SyncInput = { sync: true } | { syncToken: string };

/** A page of changes. */
export type SyncStep<Page> = {
  page: Page;
  /** Whether this is the first page of the whole list. The caller must then discard its previous copy. */
  isStart: boolean;
  /** The token for the next synchronisation; undefined except on the last page. */
  syncToken: string | undefined;
};

/**
 * Reads the changes in a list since a sync token, or the whole list. If the token is too old, reads the whole list
 * again.
 *
 * @param list the list with its filters, such as `(sync) => careProvider.listSessions({ clientId, ...sync })`
 */
export async function* synchronise<Page extends SyncPage>(
  list: (input: SyncInput) => ListPromise<Page, unknown>,
  syncToken?: string | null,
): AsyncGenerator<SyncStep<Page>, void, undefined> {
  if (typeof syncToken === 'string') {
    try {
      return yield* toSteps(list({ syncToken }), false);
    } catch (error) {
      if (!isProblem(error, 'sync-token-expired')) throw error;
    }
  }
  yield* toSteps(list({ sync: true }), true);
}

async function* toSteps<Page extends SyncPage>(
  call: ListPromise<Page, unknown>,
  isWhole: boolean,
): AsyncGenerator<SyncStep<Page>, void, undefined> {
  let isStart = isWhole;
  for await (const page of call.pages()) {
    yield { page, isStart, syncToken: page.syncToken ?? undefined };
    isStart = false;
  }
}
