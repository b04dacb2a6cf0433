import type { ComponentChildren } from 'preact';
import { useText } from '../text/text.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { uiText } from './ui.text.js';

/** A field of a record, with its values in both versions. */
export type ConflictingField = { label: string; theirs: ComponentChildren; yours: ComponentChildren };

type ConflictDialogProps = {
  /** The fields that differ. */
  fields: readonly ConflictingField[];
  /** Discards the user's changes and shows the saved version. */
  onKeepTheirs: () => void;
  /** Sends the user's changes again, based on the version that is now saved. */
  onSaveYours: () => void;
  onClose: () => void;
  isBusy?: boolean;
  /** Further information, for example what happens to the discarded version. */
  children?: ComponentChildren;
};

/**
 * Shown if another person has saved the record in the meantime (412). Shows both versions, and lets the user choose
 * one.
 */
export function ConflictDialog(props: ConflictDialogProps) {
  const { fields, onKeepTheirs, onSaveYours, onClose, isBusy = false, children } = props;
  const text = useText(uiText);
  return (
    <Dialog
      title={text.conflictTitle}
      onClose={onClose}
      size="wide"
      actions={
        <>
          <Button onClick={onKeepTheirs}>{text.keepTheirs}</Button>
          <Button variant="primary" isBusy={isBusy} onClick={onSaveYours}>
            {text.saveYours}
          </Button>
        </>
      }
    >
      <p>{text.conflictIntro}</p>
      {children}
      <table class="table conflict">
        <thead>
          <tr>
            <th scope="col">{text.conflictField}</th>
            <th scope="col">{text.conflictTheirs}</th>
            <th scope="col">{text.conflictYours}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ label, theirs, yours }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{theirs ?? <span class="quiet">{text.nothing}</span>}</td>
              <td>{yours ?? <span class="quiet">{text.nothing}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
