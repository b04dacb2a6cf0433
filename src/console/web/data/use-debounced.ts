import { useEffect, useState } from 'preact/hooks';

const DELAY_MS = 250;

/** Returns the value once the user has stopped changing it. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
