import { z } from 'zod';
import { declareVariables } from './declared-variables.js';
import { toPlaintextHosts } from './production.js';
import { findPlaintextProblem, toHttpTarget } from './transport-security.js';

/**
 * Settings for signing in to the console with the identity provider, by the authorisation code flow with PKCE and
 * without a client secret.
 */
export type ConsoleSignIn = {
  issuer: string;
  clientId: string;
  scope: string;
  /** The parameter that names the service for which the access token is requested. */
  audience: { parameter: 'audience' | 'resource'; value: string } | undefined;
};

export const consoleVariables = declareVariables('Console', {
  CONSOLE: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('on')
    .describe('`off`: the console is not served at `/`.'),
  CONSOLE_CLIENT_ID: z
    .string()
    .optional()
    .describe(
      'Client id of the console at the identity provider of `JWT_ISSUER`: a public client, authorisation code with PKCE, redirect to `<PUBLIC_URL>/` (security.md). Absent: the console has no sign-in with the provider.',
    ),
  CONSOLE_SCOPE: z
    .string()
    .regex(/^[\x21\x23-\x5B\x5D-\x7E]+( [\x21\x23-\x5B\x5D-\x7E]+)*$/, 'must be scopes, separated by one space')
    .refine((scope) => scope.split(' ').includes('openid'), 'must contain openid')
    .default('openid profile')
    .describe('Scopes that the console asks for. Some providers give refresh tokens only with `offline_access`.'),
  CONSOLE_AUDIENCE_PARAMETER: z
    .enum(['audience', 'resource'], { error: 'must be audience or resource' })
    .optional()
    .describe(
      'Parameter in which the console sends `JWT_AUDIENCE` to the provider: `audience` (Auth0) or `resource` (RFC 8707). Absent: none, as the provider knows it by the client or by a scope.',
    ),
});

type ConsoleVariables = {
  CONSOLE_CLIENT_ID?: string | undefined;
  CONSOLE_SCOPE: string;
  CONSOLE_AUDIENCE_PARAMETER?: 'audience' | 'resource' | undefined;
  JWT_ISSUER?: string | undefined;
  JWT_AUDIENCE?: string | undefined;
  JWT_JWKS_URL?: string | undefined;
  PLAINTEXT_HOSTS: readonly string[];
};

export function toConsoleSignIn(values: ConsoleVariables): ConsoleSignIn | undefined {
  const { CONSOLE_CLIENT_ID: clientId, CONSOLE_AUDIENCE_PARAMETER: parameter } = values;
  if (clientId === undefined) return undefined;
  const audience = parameter && { parameter, value: values.JWT_AUDIENCE! };
  return { issuer: values.JWT_ISSUER!, clientId, scope: values.CONSOLE_SCOPE, audience };
}

/** Lists missing and invalid settings for the sign-in of the console, as [variable, message] pairs. */
export function findConsoleProblems(values: ConsoleVariables): [string, string][] {
  if (values.CONSOLE_CLIENT_ID === undefined) return [];
  // JWT_ISSUER and JWT_AUDIENCE need no check here: the production rules require them if there is a key set.
  if (values.JWT_JWKS_URL === undefined)
    return [
      ['CONSOLE_CLIENT_ID', 'needs JWT_JWKS_URL: the tokens of the identity provider are verified by its key set'],
    ];
  if (values.JWT_ISSUER === undefined) return [];
  const issuer = z.url({ protocol: /^https?$/ }).safeParse(values.JWT_ISSUER);
  if (!issuer.success) return [['JWT_ISSUER', 'must be an http(s) URL with CONSOLE_CLIENT_ID']];
  const problem = findPlaintextProblem(toHttpTarget(values.JWT_ISSUER), toPlaintextHosts(values));
  return problem === undefined ? [] : [['JWT_ISSUER', problem]];
}
