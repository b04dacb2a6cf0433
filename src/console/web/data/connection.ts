import { createStore } from '../app/store.js';

/** Whether the service can be reached. The banner of the shell shows it. */
export const connectionState = createStore<'connected' | 'lost'>(navigator.onLine ? 'connected' : 'lost');

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 10_000;

let timer: ReturnType<typeof setTimeout> | undefined;

window.addEventListener('offline', reportConnectionLost);
window.addEventListener('online', () => void retryConnection());

/** Must be called when a request has received no response. Polls the service until it responds again. */
export function reportConnectionLost(): void {
  connectionState.set('lost');
  schedule(FIRST_DELAY_MS);
}

export function reportConnected(): void {
  clearTimeout(timer);
  timer = undefined;
  connectionState.set('connected');
}

/** Polls the service immediately, for example when the user asks to retry. */
export async function retryConnection(delay = FIRST_DELAY_MS): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const isReached = await fetch('/health/live', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (isReached) reportConnected();
  else schedule(Math.min(delay * 2, MAX_DELAY_MS));
}

function schedule(delay: number): void {
  timer ??= setTimeout(() => void retryConnection(delay), delay);
}
