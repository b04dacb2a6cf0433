import { useText } from '../text/text.js';
import { Button, Dialog } from '../ui/index.js';
import { planEditorText } from './plan-editor.text.js';

/** Asks for confirmation before the user leaves the page and thereby discards the changes. */
export function LeaveDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const text = useText(planEditorText);
  return (
    <Dialog
      title={text.leaveTitle}
      onClose={onStay}
      actions={
        <>
          <Button variant="danger" onClick={onLeave}>
            {text.leave}
          </Button>
          <Button variant="primary" onClick={onStay}>
            {text.stay}
          </Button>
        </>
      }
    >
      <p>{text.leaveText}</p>
    </Dialog>
  );
}
