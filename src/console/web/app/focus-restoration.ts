/** The element that had the focus last, followed by its ancestors. */
let path: readonly Element[] = [];

/**
 * Observes the document. Whenever the focused element is removed, such as a button in a deleted row, the focus moves to
 * the nearest remaining ancestor. Otherwise, screen readers would start again at the top of the document.
 */
export function startFocusRestoration(): void {
  document.addEventListener('focusin', ({ target }) => (path = target instanceof Element ? listAncestors(target) : []));
  new MutationObserver(() => {
    // Waits for one frame, because a page or dialog may set the focus itself.
    if (isLost()) requestAnimationFrame(() => isLost() && focusAncestor());
  }).observe(document.body, { childList: true, subtree: true });
}

function isLost(): boolean {
  const hasNone = document.activeElement === null || document.activeElement === document.body;
  return hasNone && path[0]?.isConnected === false;
}

function focusAncestor(): void {
  const nearest = path.find((element): element is HTMLElement => element instanceof HTMLElement && element.isConnected);
  if (nearest === undefined || nearest === document.body) return;
  if (!nearest.hasAttribute('tabindex')) {
    nearest.tabIndex = -1;
    nearest.addEventListener('blur', () => nearest.removeAttribute('tabindex'), { once: true });
  }
  nearest.focus({ preventScroll: true });
}

function listAncestors(element: Element): Element[] {
  const found = [element];
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) found.push(parent);
  return found;
}
