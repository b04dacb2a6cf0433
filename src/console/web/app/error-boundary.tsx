import { Component, type ComponentChildren } from 'preact';
import { useText } from '../text/text.js';
import { Button } from '../ui/button.js';
import { EmptyState } from '../ui/states.js';
import { appText } from './app.text.js';
import { FailedPage } from './failed-page.js';

type State = { hasFailed: boolean };

/** Shows an error in place of a page that cannot be rendered. The rest of the console keeps working. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, State> {
  override state: State = { hasFailed: false };

  static override getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    // Shows the error in the developer console of the browser.
    reportError(error);
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return <Crash onRetry={() => this.setState({ hasFailed: false })} />;
  }
}

function Crash({ onRetry }: { onRetry: () => void }) {
  const text = useText(appText);
  return (
    <FailedPage>
      <div role="alert">
        <EmptyState icon="warning" title={text.crashTitle} action={<Button onClick={onRetry}>{text.tryNow}</Button>}>
          {text.crashText}
        </EmptyState>
      </div>
    </FailedPage>
  );
}
