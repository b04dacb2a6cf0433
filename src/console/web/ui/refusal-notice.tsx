import { isProblem } from '@care-scheduling/client';
import { useText } from '../text/text.js';
import { Button } from './button.js';
import { describeProblem } from './describe-problem.js';
import { Notice, type Tone } from './surface.js';
import { uiText } from './ui.text.js';

type RefusalNoticeProps = {
  error: unknown;
  /** The title if only the service knows the cause, such as a conflict or an invalid field. */
  title: string;
  tone?: Tone;
  /** Further texts of the service, such as the errors of fields that the form does not show. */
  details?: readonly string[];
  /** Sends the request again. Offered if the request itself is not the cause, such as for an overloaded service. */
  onRetry?: () => void;
};

/** Shows why a request has failed. The texts of the service are English, and are marked as such. */
export function RefusalNotice({ error, title, tone = 'danger', details = [], onRetry }: RefusalNoticeProps) {
  const text = useText(uiText);
  const problem = describeProblem(error, text);
  if (problem.serviceText === undefined || !isProblem(error))
    return (
      <Notice tone={tone} title={problem.title} actions={onRetry && <Button onClick={onRetry}>{text.tryAgain}</Button>}>
        {problem.detail}
      </Notice>
    );
  return (
    <Notice tone={tone} title={title}>
      <span lang="en">{[error.detail, ...details].join(' ')}</span>
    </Notice>
  );
}
