import { signInState } from '../app/sign-in/sign-in.js';
import { createStore, useStore } from '../app/store.js';
import { getText, useText } from '../text/text.js';
import { IconButton } from './button.js';
import { Icon } from './icon.js';
import { describeProblem, type ProblemText } from './describe-problem.js';
import { ProblemDetail } from './problem-detail.js';
import { uiText } from './ui.text.js';

type Toast = { id: number; tone: 'good' | 'attention' | 'danger' } & ProblemText;

const toasts = createStore<readonly Toast[]>([]);

/** IDs of the open dialogs; the topmost dialog is last. */
const dialogs = createStore<readonly string[]>([]);

/** Success messages disappear after this time. Warnings and error messages stay until they are closed. */
const SUCCESS_MS = 6_000;
const MAX_TOASTS = 3;

let lastId = 0;

// Messages for one caller must not be shown to another.
signInState.subscribe(() => toasts.set([]));

export function showSuccess(title: string): void {
  const id = add({ tone: 'good', title });
  setTimeout(() => remove(id), SUCCESS_MS);
}

export function showWarning(title: string): void {
  add({ tone: 'attention', title });
}

export function showFailure(problem: ProblemText): void {
  add({ tone: 'danger', ...problem });
}

export function showProblem(error: unknown, { isRolledBack = false } = {}): void {
  const text = getText(uiText);
  const problem = describeProblem(error, text);
  const detail = [problem.detail, text.rolledBack].filter((one) => one !== undefined).join(' ');
  showFailure(isRolledBack ? { ...problem, detail } : problem);
}

/**
 * Registers an open dialog, which then shows the messages. Earlier success messages disappear, because they do not
 * belong to the dialog. Returns a function that removes the dialog.
 */
export function registerOpenDialog(id: string): () => void {
  toasts.set(toasts.get().filter(({ tone }) => tone !== 'good'));
  dialogs.set([...dialogs.get(), id]);
  return () => dialogs.set(dialogs.get().filter((one) => one !== id));
}

/**
 * The container for messages. It is always on the page, so that screen readers announce new messages. The topmost
 * dialog shows them itself, because everything outside it is dimmed and cannot be used.
 *
 * @param dialog the dialog that contains it, if any
 */
export function Toasts({ dialog }: { dialog?: string }) {
  const text = useText(uiText);
  const all = useStore(toasts);
  const shown = useStore(dialogs).at(-1) === dialog ? all : [];
  return (
    <div class="toasts no-print" role="status" aria-live="polite">
      {shown.map(({ id, tone, ...message }) => (
        <div key={id} class={`toast toast-${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'warning'} />
          <div class="toast-text">
            <p class="toast-title">{message.title}</p>
            <ProblemDetail class="small" problem={message} />
          </div>
          <IconButton icon="close" label={text.close} onClick={() => remove(id)} />
        </div>
      ))}
    </div>
  );
}

function add(toast: Omit<Toast, 'id'>): number {
  lastId += 1;
  toasts.set([...toasts.get(), { ...toast, id: lastId }].slice(-MAX_TOASTS));
  return lastId;
}

function remove(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}
