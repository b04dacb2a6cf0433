/** The element that had the focus last, and its ancestors from the inside out. */
let path: readonly Element[] = [];

/**
 * Keeps the focus near its place if its element goes away, such as a button whose row leaves the list: the nearest ancestor
 * gets it. Otherwise screen readers would begin at the top of the document again.
 */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => (path = target instanceof Element ? listAncestors(target) : []));
  new MutationObserver(() => {
    // A page or a dialog that knows a better place sets the focus until the next frame.
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
