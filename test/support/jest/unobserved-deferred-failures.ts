import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/*
 * Makes tests fail because of hidden failures of deferred statements. Normally, such a failure rejects the next awaited
 * statement. If the transaction is rolled back before, PipelinedClient publishes the failure on this channel.
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
