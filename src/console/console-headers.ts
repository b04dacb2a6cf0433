import type { ConsoleSignIn } from '../shared/config/env.js';

/* HTTP headers for the console's files. */

/**
 * The console loads nothing from other origins, has no inline script or style, and cannot be framed. Trusted Types make
 * the browser refuse plain strings as HTML or as script code.
 */
const toContentSecurityPolicy = (connectSources: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connectSources.join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

/**
 * Matches files below `assets`. Their names contain a hash of their content, so a file never changes under the same
 * name.
 */
const HASHED = /[/\\]assets[/\\]/;

/**
 * Returns the HTTP headers for one of the console's files.
 *
 * @param file path of the file that is sent
 * @param signIn settings of the identity provider, from whose origin the console may fetch tokens
 */
export function createConsoleHeaders(file: string, signIn: ConsoleSignIn | undefined): Record<string, string> {
  const connectSources = ["'self'", ...(signIn === undefined ? [] : [new URL(signIn.issuer).origin])];
  const isHashed = HASHED.test(file);
  return {
    'content-security-policy': toContentSecurityPolicy(connectSources),
    'referrer-policy': 'no-referrer',
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    // Replaces two headers that the API sets and that would contradict `cache-control`.
    ...(isHashed && { pragma: 'public', expires: 'Thu, 31 Dec 2099 23:59:59 GMT' }),
  };
}
