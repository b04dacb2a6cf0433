import { useEffect, type Dispatch, type StateUpdater } from 'preact/hooks';

/**
 * Closes a dialog whose record is no longer on the page. Otherwise, the dialog would open again when the record returns.
 *
 * @param opened the state that tells which dialog is open
 */
export function useCloseWhenGone<T>(
  opened: T | undefined,
  isGone: boolean,
  setOpened: Dispatch<StateUpdater<T | undefined>>,
): void {
  useEffect(() => {
    // Another dialog may be open by now.
    if (isGone) setOpened((current) => (current === opened ? undefined : current));
  }, [isGone, opened]);
}
