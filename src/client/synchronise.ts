import type { ListCall } from './api-call.js';
import { isProblem } from './problem-error.js';

type SyncPage = { syncToken?: string | null };
/** What the list needs to know: either to start, or to return the changes since a token. */
export type SyncInput = { sync: true } | { syncToken: string };

/** A page of changes. */
export type SyncStep<Page> = {
  page: Page;
  /** The page is the first one of the whole list: the copy that was kept until now must be dropped. */
  isStart: boolean;
  /** For the next synchronisation; undefined on all pages but the last. */
  syncToken: string | undefined;
};

/**
 * Reads what has changed in a list since a sync token, or the whole list. If the token is too old, it starts with the
 * whole list again.
 *
 * @param list the list with its filters, such as `(sync) => careProvider.listSessions({ clientId, ...sync })`
 */
export async function* synchronise<Page extends SyncPage>(
  list: (input: SyncInput) => ListCall<Page, unknown>,
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
  call: ListCall<Page, unknown>,
  isWhole: boolean,
): AsyncGenerator<SyncStep<Page>, void, undefined> {
  let isStart = isWhole;
  for await (const page of call.pages()) {
    yield { page, isStart, syncToken: page.syncToken ?? undefined };
    isStart = false;
  }
}
