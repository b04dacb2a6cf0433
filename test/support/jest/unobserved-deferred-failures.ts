import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/*
 * A deferred statement that fails rejects the next awaited statement. If the transaction is rolled back before that, the
 * failure is hidden, and PipelinedClient publishes it here: the test fails.
 */

const CHANNEL = 'scheduling:unobserved-deferred-failure';

const failures: unknown[] = [];
const addFailure = (error: unknown) => void failures.push(error);

/** Returns the errors of deferred statements that no awaited statement has reported, and forgets them. */
export function takeUnobservedFailures(): unknown[] {
  return failures.splice(0);
}

subscribe(CHANNEL, addFailure);
afterEach(() => {
  const [first] = takeUnobservedFailures();
  if (first === undefined) return;
  throw new Error('A deferred statement failed, and the rollback of its transaction hid the failure.', {
    cause: first,
  });
});
afterAll(() => void unsubscribe(CHANNEL, addFailure));
