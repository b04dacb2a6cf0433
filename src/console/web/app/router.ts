import { useMemo } from 'preact/hooks';
import { allowLeaving, isLeaveGuardActive, runAfterLeaveConfirmation } from './leave-guard.js';
import { parseUrlHash, type RouteLocation } from './path.js';
import { createStore, useStore } from './store.js';

/* A route is the hash of the URL, which the browser does not send to the server. Routes contain IDs, but no names. */

const hash = createStore(window.location.hash);

/** Whether the page has changed since the console was loaded. Only then do headings get the focus. */
let hasMoved = false;

window.addEventListener('hashchange', () => {
  const asked = window.location.hash;
  if (asked === hash.get()) return;
  if (isLeaveGuardActive()) {
    // Restores the URL of the current page until the user has answered.
    window.history.replaceState(null, '', hash.get() || '#/');
    runAfterLeaveConfirmation(() => {
      allowLeaving();
      navigate(asked.slice(1));
    });
    return;
  }
  hasMoved = true;
  hash.set(asked);
});

export function useRouteLocation(): RouteLocation {
  const current = useStore(hash);
  return useMemo(() => parseUrlHash(current), [current]);
}

/** Opens a page of the console. @param path such as `/my-care` or `/client/7?tab=homework` */
export function navigate(path: string): void {
  window.location.hash = path;
}

/** Replaces the current history entry, for example when a filter changes. */
export function replaceRoute(path: string): void {
  window.history.replaceState(null, '', `#${path}`);
  hash.set(window.location.hash);
}

/**
 * Makes the next page move the focus to its heading. Called if the page changes without a new route, for example after
 * another caller has signed in.
 */
export function markPageChanged(): void {
  hasMoved = true;
}

export function shouldFocusHeading(): boolean {
  return hasMoved;
}
