import { useEffect, useState } from 'preact/hooks';

const SETTLES_MS = 250;

/** Returns the value once it has not changed for a moment, so that typing does not cause a request per letter. */
export function useSettledValue<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
