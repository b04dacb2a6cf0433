import { useEffect, useState } from 'preact/hooks';

const NARROW = '(width < 48rem)';

/** Whether the screen is narrower than 48rem, as on a phone. */
export function useIsNarrowScreen(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const list = matchMedia(NARROW);
    const update = () => setNarrow(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, []);
  return isNarrow;
}
