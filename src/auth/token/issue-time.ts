import type { Principal } from '../../shared/access/index.js';

/** The issue times of the tokens of callers. The same token always has the same principal object. */
const ISSUE_TIMES = new WeakMap<Principal, Temporal.Instant>();

/** @param issuedAt in milliseconds since 1970; undefined if the token has no `iat` */
export function setIssueTime(principal: Principal, issuedAt: number | undefined): void {
  if (issuedAt !== undefined) ISSUE_TIMES.set(principal, Temporal.Instant.fromEpochMilliseconds(issuedAt));
}

/** Returns when the caller's token was issued, or undefined if it has no `iat`. */
export function findIssueTime(principal: Principal): Temporal.Instant | undefined {
  return ISSUE_TIMES.get(principal);
}
