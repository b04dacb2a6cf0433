import { useMemo } from 'preact/hooks';
import { allowLeaving, isLeaveGuardActive, runAfterLeaveConfirmation } from './leave-guard.js';
import { parseUrlHash, type RouteLocation } from './path.js';
import { createStore, useStore } from './store.js';

/* A route is the hash of the URL, which the browser does not send to the server. Routes contain IDs, but no names. */

const hash = createStore(window.location.hash);

/** Whether the page has changed since the console was loaded. Only then do headings get the focus. */
let hasMoved = false;

/** The position of the current page in the history of the tab. The state of each entry contains its position. */
let position = readPosition() ?? markPosition(0);

window.addEventListener('hashchange', () => {
  const asked = window.location.hash;
  if (asked === hash.get()) return;
  const target = readPosition();
  // The page stays while the path is the same, such as between two steps of a form.
  const leavesPage = parseUrlHash(asked).path !== parseUrlHash(hash.get()).path;
  if (leavesPage && isLeaveGuardActive()) {
    // Goes back to the entry of the current page until the user has answered. The other entries stay as they are.
    const steps = position - (target ?? position + 1);
    window.history.go(steps);
    runAfterLeaveConfirmation(() => {
      allowLeaving();
      if (target === undefined) navigate(asked.slice(1));
      else window.history.go(-steps);
    });
    return;
  }
  position = target ?? markPosition(position + 1);
  hasMoved = true;
  hash.set(asked);
});

/** Returns the position of the current history entry; undefined for a new entry. */
function readPosition(): number | undefined {
  const state = window.history.state as { position?: number } | null;
  return state?.position;
}

function markPosition(marked: number): number {
  window.history.replaceState({ position: marked }, '');
  return marked;
}

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
  window.history.replaceState(window.history.state, '', `#${path}`);
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
