import { useEffect, useState } from 'preact/hooks';
import { queryClient } from '../../../data/query-client.js';
import { getText, useText } from '../../../text/text.js';
import { Button } from '../../../ui/button.js';
import { Icon } from '../../../ui/icon.js';
import { showFailure, showSuccess } from '../../../ui/toast.js';
import { useStore } from '../../store.js';
import { endedSignIn, type EndedSignIn } from './ended-sign-in.js';
import { identityProviderText } from './identity-provider.text.js';
import { awaitAnswer } from './new-window.js';

/** Offers to sign in again in a new window, because the current page has unsaved changes. */
export function EndedSignInBanner() {
  const text = useText(identityProviderText);
  const ended = useStore(endedSignIn);
  return (
    <div class="connection" role="status" aria-live="polite">
      {ended !== undefined && (
        <div class="connection-lost">
          <Icon name="warning" size={18} />
          <span>{text.endedUnsaved}</span>
          <SignInAgain ended={ended} />
        </div>
      )}
    </div>
  );
}

function SignInAgain({ ended }: { ended: EndedSignIn }) {
  const text = useText(identityProviderText);
  const [attempt, setAttempt] = useState(1);
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    setUrl(undefined);
    const abort = new AbortController();
    const tryAgain = () => setAttempt(attempt + 1);
    prepareAttempt(ended, { signal: abort.signal, offer: setUrl, tryAgain }).catch(() => setUrl(''));
    return () => abort.abort();
  }, [ended, attempt]);
  if (url === undefined) return null;
  if (url === '')
    return (
      <>
        <span>{text.unreachableTitle}.</span>
        <Button size="small" onClick={() => setAttempt(attempt + 1)}>
          {text.signIn}
        </Button>
      </>
    );
  // A link, because browsers block windows that a script opens later than the click.
  return (
    <a class="button button-secondary button-small" href={url} target="_blank" rel="noopener">
      {text.signIn}
    </a>
  );
}

type AttemptOptions = { signal: AbortSignal; offer: (url: string) => void; tryAgain: () => void };

/** Prepares a sign-in in a new window. The secrets of the attempt stay in the memory of this window. */
async function prepareAttempt(ended: EndedSignIn, { signal, offer, tryAgain }: AttemptOptions): Promise<void> {
  const { prepareAuthorization, completeAuthorization } = await import('./authorization.js');
  const { url, pending } = await prepareAuthorization(ended.settings, '/');
  if (signal.aborted) return;
  const stop = awaitAnswer(pending.state, (answer) => {
    stop();
    const text = getText(identityProviderText);
    completeAuthorization(ended.settings, pending, answer)
      .then((tokens) => {
        if (!ended.resume(tokens)) {
          showFailure({ title: text.failedTitle, detail: text.otherAccount });
          tryAgain();
          return;
        }
        // Reads again what could not be read meanwhile.
        void queryClient.invalidateQueries();
        showSuccess(text.continuedTitle);
      })
      .catch(() => {
        showFailure({ title: text.failedTitle, detail: text.failed });
        tryAgain();
      });
  });
  signal.addEventListener('abort', stop);
  offer(url);
}
