import type { ComponentChildren } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { appText } from './app.text.js';
import { useLeaveGuard } from './leave-guard.js';

type LeaveConfirmationProps = {
  /** Whether the page has changes that would be lost. */
  isActive: boolean;
  title: string;
  /** Tells which changes would be lost. */
  children: ComponentChildren;
};

/**
 * Asks for confirmation before a dialog that contains this element closes or its page is left. The dialog closes with
 * `runAfterLeaveConfirmation`, except for its button that says that nothing is saved.
 *
 * @param isActive whether the user has entered anything that is not being saved
 */
export function EntryLossConfirmation({ isActive }: { isActive: boolean }) {
  const text = useText(appText);
  return (
    <LeaveConfirmation isActive={isActive} title={text.closeTitle}>
      {text.closeText}
    </LeaveConfirmation>
  );
}

/** Asks for confirmation before the user leaves the page and thereby discards the changes. */
export function LeaveConfirmation({ isActive, title, children }: LeaveConfirmationProps) {
  const text = useText(appText);
  const [leave, setLeave] = useState<() => void>();
  const ask = useCallback((proceed: () => void) => setLeave(() => proceed), []);
  useLeaveGuard(isActive, ask);
  if (leave === undefined) return null;
  const stay = () => setLeave(undefined);
  return (
    <Dialog
      title={title}
      onClose={stay}
      actions={
        <>
          <Button variant="danger" onClick={leave}>
            {text.leave}
          </Button>
          <Button variant="primary" onClick={stay}>
            {text.stay}
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  );
}
