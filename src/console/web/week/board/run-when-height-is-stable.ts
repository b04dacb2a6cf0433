const STABLE_FRAMES = 3;

/**
 * Calls `onStable` once the height of an element has been the same for some frames. Returns a function that stops
 * waiting.
 */
export function runWhenHeightIsStable(element: Element, onStable: () => void): () => void {
  let height = Number.NaN;
  let frames = 0;
  const look = () => {
    const current = element.getBoundingClientRect().height;
    frames = current === height ? frames + 1 : 0;
    height = current;
    if (frames < STABLE_FRAMES) request = requestAnimationFrame(look);
    else onStable();
  };
  let request = requestAnimationFrame(look);
  return () => cancelAnimationFrame(request);
}
