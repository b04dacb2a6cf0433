import { isProblem, type AnyProblemError } from '@care-scheduling/client';
import { isConnectionProblem, isSignInEnded } from '../data/problems.js';
import type { uiText } from './ui.text.js';

type UiText = (typeof uiText)['en'];

/** The text that describes an error to the user. */
export type ProblemText = {
  title: string;
  /** The description of the problem, in the user's language. */
  detail?: string;
  /** The text of the service, which is always English. Only present if `detail` cannot say enough. */
  serviceText?: string;
  requestId?: string | undefined;
};

/** Returns the text that describes an error to the user. */
export function describeProblem(error: unknown, text: UiText): ProblemText {
  if (isConnectionProblem(error)) return { title: text.connectionTitle, detail: text.connectionDetail };
  if (isSignInEnded(error)) return text.problems.signedOut;
  if (!isProblem(error)) return { title: text.unknownTitle, detail: text.unknownDetail };
  return { ...describeStatus(error, text), requestId: error.requestId };
}

/** The problems whose status tells enough. For a conflict or an invalid field, only the service knows the cause. */
const PROBLEM_BY_STATUS: Readonly<Record<number, 'signedOut' | 'forbidden' | 'notFound' | 'changed' | 'tooMany'>> = {
  401: 'signedOut',
  403: 'forbidden',
  404: 'notFound',
  412: 'changed',
  429: 'tooMany',
};

function describeStatus({ status, detail, errors }: AnyProblemError, { problems }: UiText): ProblemText {
  if (status >= 500) return problems.unavailable;
  const known = PROBLEM_BY_STATUS[status];
  if (known !== undefined) return problems[known];
  const [first, ...more] = errors;
  const serviceText = first === undefined || more.length > 0 ? detail : `${detail} ${first.detail}`;
  return { title: status === 409 ? problems.conflict : problems.invalid, serviceText };
}
