import type { SeriesChange } from '@care-scheduling/client';
import { signInState } from '../app/sign-in/sign-in.js';

/*
 * The versions of Sessions after steps of this user. The next step may follow before the page has loaded the Session
 * again, and must then not be refused as if another person had changed the Session.
 */

const versions = new Map<number, number>();

signInState.subscribe(() => versions.clear());

/** Remembers the version of a Session that the user has changed. */
export function rememberVersion(id: number, { sessions }: SeriesChange): void {
  const version = sessions.find((session) => session.id === id)?.version;
  if (version !== undefined) versions.set(id, version);
}

/** Returns the version of a Session that the user has seen: the loaded one, or that after the user's own step. */
export function getSeenVersion({ id, version }: { id: number; version: number }): number {
  return Math.max(version, versions.get(id) ?? 0);
}
