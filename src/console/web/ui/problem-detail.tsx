import type { ProblemText } from './describe-problem.js';

/** Shows what happened. The text of the service is marked as English, so that screen readers pronounce it well. */
export function ProblemDetail({ problem, ...attributes }: { problem: ProblemText; class: string }) {
  const { serviceText, detail } = problem;
  if (serviceText === undefined && detail === undefined) return null;
  return (
    <p {...attributes}>
      {serviceText !== undefined && <span lang="en">{serviceText} </span>}
      {detail}
    </p>
  );
}
