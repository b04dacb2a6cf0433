import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { isConnectionProblem } from '../data/problems.js';
import { useText } from '../text/text.js';
import { Button } from './button.js';
import { Icon, type IconName } from './icon.js';
import { describeProblem } from './describe-problem.js';
import { ProblemDetail } from './problem-detail.js';
import { Notice } from './surface.js';
import { uiText } from './ui.text.js';

/** Shown if a list is empty, which is not an error. Tells the user what will appear here and what they can do. */
export function EmptyState(props: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="state">
      <span class="state-icon">
        <Icon name={props.icon} size={26} />
      </span>
      <p class="state-title">{props.title}</p>
      {props.children !== undefined && <div class="state-text quiet">{props.children}</div>}
      {props.action}
    </div>
  );
}

/** Shown if data could not be loaded. Tells the user why, and offers a retry. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const text = useText(uiText);
  const problem = describeProblem(error, text);
  const { requestId } = problem;
  return (
    <div class="state" role="alert">
      <span class="state-icon state-icon-danger">
        <Icon name={isConnectionProblem(error) ? 'refresh' : 'warning'} size={26} />
      </span>
      <p class="state-title">{problem.title}</p>
      <ProblemDetail class="state-text quiet" problem={problem} />
      {onRetry && <Button onClick={onRetry}>{text.tryAgain}</Button>}
      {requestId !== undefined && (
        <p class="small quiet">
          {text.requestId} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

/** A placeholder for content that is being loaded. @param rows the number of lines or cards */
export function Skeleton({ rows = 3, shape = 'line' }: { rows?: number; shape?: 'line' | 'card' }) {
  const text = useText(uiText);
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">{text.loading}</span>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} class={`skeleton-${shape}`} aria-hidden="true" />
      ))}
    </div>
  );
}

type QueryViewProps<T> = {
  of: UseQueryResult<T>;
  children: (data: T) => ComponentChildren;
  /** Shown while nothing has been loaded. Defaults to three lines. */
  skeleton?: ComponentChildren;
};

/**
 * Shows the result of a query, a placeholder while it is loading, or its error. Earlier data stays visible, with a
 * notice if it could not be reloaded. A banner of the shell already reports a lost connection.
 */
export function QueryView<T>({ of, children, skeleton = <Skeleton /> }: QueryViewProps<T>) {
  const text = useText(uiText);
  if (of.data !== undefined)
    return (
      <>
        {of.isError && !isConnectionProblem(of.error) && (
          <Notice tone="attention" actions={<Button onClick={() => void of.refetch()}>{text.tryAgain}</Button>}>
            <p role="status">{text.notCurrent}</p>
          </Notice>
        )}
        {children(of.data)}
      </>
    );
  if (of.isError) return <ErrorState error={of.error} onRetry={() => void of.refetch()} />;
  return <>{skeleton}</>;
}
