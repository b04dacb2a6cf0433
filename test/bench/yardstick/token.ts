import { createHmac, timingSafeEqual } from 'node:crypto';
import { ProblemException } from './problem.js';

/** The caller of a request, as the token describes it. */
export type AuthenticatedCaller = { role: 'CLINIC' | 'CARE_PROVIDER'; id: number; subject: string; jti?: unknown };

const CLAIMS = { CLINIC: 'clinicId', CARE_PROVIDER: 'caregiverId' } as const;

/** Verifies HS256 bearer tokens with Node's crypto module, as fast as possible. */
export function createTokenReader(secret: string) {
  return (header: string | undefined, role: AuthenticatedCaller['role']): AuthenticatedCaller => {
    const token = /^bearer (.+)$/i.exec(header ?? '')?.[1];
    const claims = token === undefined ? undefined : verified(token, secret);
    if (claims === undefined) throw new ProblemException(401, 'A valid bearer token is required.');
    const named = String(claims['role'])
      .toUpperCase()
      .replace(/^ROLE_/, '');
    if (!(named in CLAIMS) || (named as AuthenticatedCaller['role']) !== role)
      throw new ProblemException(403, 'The role may not do this.');
    const id = claims[CLAIMS[role]];
    if (!Number.isSafeInteger(id) || (id as number) < 1)
      throw new ProblemException(401, 'A valid bearer token is required.');
    return { role, id: id as number, subject: claims['sub'] as string, jti: claims['jti'] };
  };
}

function verified(token: string, secret: string): Record<string, unknown> | undefined {
  const [header, payload, signature] = token.split('.') as [string, string?, string?];
  if (payload === undefined || signature === undefined) return undefined;
  const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: unknown };
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const isGood = alg === 'HS256' && typeof claims['sub'] === 'string' && Number(claims['exp']) > Date.now() / 1000;
  return isGood ? claims : undefined;
}
