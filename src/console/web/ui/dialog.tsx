import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useText } from '../text/text.js';
import { IconButton } from './button.js';
import { registerOpenDialog, Toasts } from './toast.js';
import { uiText } from './ui.text.js';

type DialogProps = {
  title: string;
  /** Called on the close button, on Escape, and on a click outside the dialog. */
  onClose: () => void;
  children: ComponentChildren;
  /** The buttons at the bottom; the primary button is last. */
  actions?: ComponentChildren;
  size?: 'normal' | 'wide';
};

/**
 * A modal dialog that is open while it is rendered. The browser keeps the focus inside it, and restores the focus
 * afterwards.
 */
export function Dialog({ title, onClose, children, actions, size = 'normal' }: DialogProps) {
  const text = useText(uiText);
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // A drag that selects text may end outside the dialog. The browser then reports a click on the backdrop.
  const isPressedOutside = useRef(false);
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    const removeDialog = registerOpenDialog(titleId);
    return () => {
      removeDialog();
      // While the dialog is open, no element outside it can get the focus.
      element?.close();
      if (opener instanceof HTMLElement) findAgain(opener)?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog dialog-${size}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // A file field also sends this event, when the user closes the file chooser without a choice.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        isPressedOutside.current = event.target === dialog.current;
      }}
      onClick={(event) => {
        if (event.target === dialog.current && isPressedOutside.current) onClose();
      }}
    >
      <div class="dialog-content">
        <div class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label={text.close} onClick={onClose} />
        </div>
        <div class="dialog-body">{children}</div>
        <div class="dialog-foot">
          <Toasts dialog={titleId} />
          {actions !== undefined && <div class="dialog-actions">{actions}</div>}
        </div>
      </div>
    </dialog>
  );
}

/**
 * Returns the element that opened the dialog. It may have been rendered again in the meantime, for example a Book that
 * was moved to another week.
 */
function findAgain(opener: HTMLElement): HTMLElement | null {
  return opener.isConnected ? opener : document.getElementById(opener.id);
}
