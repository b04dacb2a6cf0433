import { useEffect, useRef } from 'preact/hooks';

/**
 * Returns a function that calls `run` while the component is on the page, and later returns undefined. A response may
 * arrive after the user has left the page or closed the dialog.
 */
export function useWhileMounted<Args extends readonly unknown[], Result>(
  run: (...args: Args) => Result,
): (...args: Args) => Result | undefined {
  const isMounted = useRef(true);
  useEffect(() => () => void (isMounted.current = false), []);
  return (...args) => (isMounted.current ? run(...args) : undefined);
}
