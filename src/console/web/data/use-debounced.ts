import { useEffect, useState } from 'preact/hooks';

const DELAY_MS = 250;

/** Returns the value with a delay: only once it has not changed for a quarter of a second. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
