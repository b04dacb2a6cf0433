/*
 * Signing in again in a new window, while this one keeps a page with unsaved changes. The new window passes the answer of
 * the identity provider on. Only the window that has the secrets of the attempt can use the code in it.
 */

const CHANNEL = 'care-scheduling.sign-in';
/** How long the new window waits for the one that uses the answer. */
const WAIT_MS = 1_000;

/** Waits for the answer with this state. @returns a function that ends the waiting */
export function awaitAnswer(state: string, use: (answer: URLSearchParams) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const answer = new URLSearchParams(String(data));
    if (answer.get('state') !== state || !isAnswer(answer)) return;
    channel.postMessage(new URLSearchParams({ taken: state }).toString());
    use(answer);
  });
  return () => channel.close();
}

/** Passes an answer on. Returns whether another window has taken it. */
export async function passAnswerOn(answer: URLSearchParams): Promise<boolean> {
  const channel = new BroadcastChannel(CHANNEL);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (new URLSearchParams(String(data)).get('taken') === answer.get('state')) resolve(true);
  });
  setTimeout(() => resolve(false), WAIT_MS);
  channel.postMessage(answer.toString());
  const isTaken = await promise;
  channel.close();
  return isTaken;
}

/** Whether these parameters are the answer of a provider to a request for authorisation (RFC 6749, section 4.1.2). */
export function isAnswer(parameters: URLSearchParams): boolean {
  return parameters.has('state') && (parameters.has('code') || parameters.has('error'));
}
