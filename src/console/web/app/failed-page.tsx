import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isReleaseReplaced } from '../data/release.js';
import { useText } from '../text/text.js';
import { Button } from '../ui/button.js';
import { EmptyState, Skeleton } from '../ui/states.js';
import { Page } from '../ui/surface.js';
import { appText } from './app.text.js';

/**
 * Shown in place of a page that could not be loaded or rendered. If the service has a new release, it offers to load it.
 * Otherwise, it shows its children.
 */
export function FailedPage({ children }: { children: ComponentChildren }) {
  const text = useText(appText);
  const [isReplaced, setIsReplaced] = useState<boolean>();
  useEffect(() => void isReleaseReplaced().then(setIsReplaced), []);
  if (isReplaced === undefined) return <Skeleton rows={4} shape="card" />;
  if (!isReplaced) return <>{children}</>;
  return (
    <Page title={text.replacedTitle} width="narrow">
      <div role="alert">
        <EmptyState
          icon="refresh"
          title={text.replacedText}
          action={<Button onClick={() => location.reload()}>{text.reload}</Button>}
        />
      </div>
    </Page>
  );
}
