import { useText } from '../text/text.js';
import { Button, Dialog } from '../ui/index.js';
import { useRedriveAllReminders } from './outbox-data.js';
import { outboxText } from './outbox.text.js';

/** Asks for confirmation before all failed or skipped reminders are sent again. */
export function RedriveAllDialog({ status, onClose }: { status: 'DEAD' | 'SKIPPED'; onClose: () => void }) {
  const text = useText(outboxText);
  const redrive = useRedriveAllReminders(text.redriven, onClose);
  return (
    <Dialog
      title={text.allTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" icon="refresh" isBusy={redrive.isPending} onClick={() => redrive.mutate(status)}>
            {text.allAgain}
          </Button>
        </>
      }
    >
      <p>{status === 'DEAD' ? text.allFailed : text.allSkipped}</p>
    </Dialog>
  );
}
