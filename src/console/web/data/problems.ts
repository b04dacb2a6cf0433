import { ConnectionError, isProblem } from '@care-scheduling/client';
import { SignInEndedError } from '../app/sign-in/identity-provider/settings.js';

export function isConnectionProblem(error: unknown): boolean {
  return (error instanceof ConnectionError || error instanceof TypeError) && !isSignInEnded(error);
}

/** Whether a request was not sent because the sign-in has ended. */
export function isSignInEnded(error: unknown): boolean {
  return error instanceof SignInEndedError || (error instanceof ConnectionError && isSignInEnded(error.cause));
}

/** Returns the errors of a refused request, keyed by JSON pointer, such as `/weeks/0/assignments/1/bookId`. */
export function toFieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!isProblem(error)) return {};
  return Object.fromEntries(error.errors.map(({ pointer, detail }) => [pointer, detail]));
}

/** Returns the errors of fields that the form does not show. @param shown JSON pointers of the fields that it shows */
export function listErrorsOutsideForm(error: unknown, shown: readonly string[]): string[] {
  return Object.entries(toFieldErrors(error))
    .filter(([pointer]) => !shown.includes(pointer))
    .map(([pointer, detail]) => (pointer === '' ? detail : `${pointer.slice(1).replaceAll('/', ' ')}: ${detail}`));
}
