import { connectionState, retryConnection } from '../data/connection.js';
import { useText } from '../text/text.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { appText } from './app.text.js';
import { useStore } from './store.js';

/** Tells the user that the connection is lost. The banner disappears when the service responds again. */
export function ConnectionBanner() {
  const text = useText(appText);
  const state = useStore(connectionState);
  return (
    <div class="connection" role="status" aria-live="polite">
      {state === 'lost' && (
        <div class="connection-lost">
          <Icon name="warning" size={18} />
          <span>{text.lost}</span>
          <Button size="small" onClick={() => void retryConnection()}>
            {text.tryNow}
          </Button>
        </div>
      )}
    </div>
  );
}
