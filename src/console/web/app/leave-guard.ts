import { useLayoutEffect } from 'preact/hooks';

/* Asks for confirmation before the user leaves a page with unsaved changes. */

type Guard = (proceed: () => void) => void;

let guard: Guard | undefined;

/** Calls `proceed` immediately or, if the current page has unsaved changes, after the user has confirmed. */
export function runAfterLeaveConfirmation(proceed: () => void): void {
  if (guard === undefined) proceed();
  else guard(proceed);
}

export function isLeaveGuardActive(): boolean {
  return guard !== undefined;
}

/** Allows leaving the page, for example after its changes have been saved. */
export function allowLeaving(): void {
  guard = undefined;
}

/**
 * Asks for confirmation before the page is left while it has unsaved changes. If the tab is closed, the browser itself
 * asks.
 *
 * @param ask shows the question, and calls `proceed` if the user wants to leave
 */
export function useLeaveGuard(isActive: boolean, ask: Guard): void {
  // Before the page is painted, so that the guard is active as soon as the page says that changes are not saved.
  useLayoutEffect(() => {
    if (!isActive) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    guard = ask;
    window.addEventListener('beforeunload', warn);
    return () => {
      if (guard === ask) guard = undefined;
      window.removeEventListener('beforeunload', warn);
    };
  }, [isActive, ask]);
}
