import { getText } from '../text/text.js';
import { showFailure, showSuccess } from './toast.js';
import { uiText } from './ui.text.js';

/** Copies a text, and shows the message `copied`. If the browser refuses, a message asks the user to copy it by hand. */
export async function copyToClipboard(value: string, copied: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(value);
    showSuccess(copied);
  } catch {
    const text = getText(uiText);
    showFailure({ title: text.copyRefused, detail: text.copyByHand });
  }
}
