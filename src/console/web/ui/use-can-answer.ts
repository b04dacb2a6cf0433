import { useEffect, useState } from 'preact/hooks';

/** No one reads a question and answers it in a shorter time. */
const READING_MS = 1_000;

/**
 * Whether a question that has appeared beside the button that was just pressed can be answered with this button. The
 * second click of a double click would answer it before the user has seen it.
 */
export function useCanAnswer(isAsked: boolean): boolean {
  const [wasVisible, setVisible] = useState(false);
  useEffect(() => {
    if (!isAsked) return undefined;
    const timer = setTimeout(() => setVisible(true), READING_MS);
    return () => {
      clearTimeout(timer);
      setVisible(false);
    };
  }, [isAsked]);
  return !isAsked || wasVisible;
}
