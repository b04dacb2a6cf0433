import { ServiceUnavailableException } from '@nestjs/common';
import { UnauthenticatedError } from '../../shared/errors/index.js';

/**
 * Why a token is refused, for the operator alone: the answer to the caller is the same for every reason, as the
 * reason would help an attacker.
 */
export const REFUSAL_REASONS = {
  NO_TOKEN: 'the request has no Authorization header',
  NOT_ONE_BEARER_TOKEN: 'the Authorization header is not one `Bearer <token>`, or was sent more than once',
  NOT_A_TOKEN: 'the token is not three parts of base64url, or is longer than 8,192 characters',
  NOT_PLAIN_JSON: 'the header or the payload is no JSON object, repeats a member, or is nested too deeply',
  TYPE: 'the header `typ` names another kind of token than an access token',
  EXTENSION: 'the header uses `crit` or `b64`, which are not supported',
  ALGORITHM: 'the header `alg` is not an algorithm that is configured here',
  UNKNOWN_KEY: 'the key set has no key for the `kid` and `alg` of the header, or more than one',
  WEAK_KEY: 'the RSA key is shorter than 2,048 bits',
  SIGNATURE: 'the signature does not belong to this token and key',
  EXPIRED: 'the token has expired (`exp`)',
  NOT_YET_VALID: 'the token is not valid yet (`nbf`)',
  ISSUER: 'the claim `iss` is not JWT_ISSUER',
  AUDIENCE: 'the claim `aud` does not contain JWT_AUDIENCE',
  SUBJECT: 'the claim `sub` must be a text of 1 to 255 characters',
  EXPIRY: 'the claim `exp` must be a number',
  ISSUED_AT: 'the claim `iat` must be a number where it is given',
  TOKEN_ID: 'the claim `jti` must be a text that can be revoked: 1 to 255 characters, no NUL, well-formed Unicode',
  LIFETIME: 'the token lasts longer than JWT_MAX_LIFETIME, or begins in the future (`iat`, `exp`)',
  ROLE: 'the claim of the role (JWT_ROLE_CLAIM) names no role, or several without the header `Acting-Role`',
  RECORD: 'the claim with the id of the directory record of this role is missing, or is no positive integer',
  REVOKED: 'the token was revoked',
} as const;

export type RefusalReason = keyof typeof REFUSAL_REASONS;

export function tokenRefused(reason: RefusalReason): UnauthenticatedError {
  return new UnauthenticatedError(reason);
}

/** What passport-jwt says of a token, by the names of the errors of jsonwebtoken. */
const REASON_OF_ERROR = new Map<string, RefusalReason>([
  ['TokenExpiredError', 'EXPIRED'],
  ['NotBeforeError', 'NOT_YET_VALID'],
]);

/**
 * The error that answers a failed verification. passport hands on what went wrong as it is: an error of ours, one of
 * jsonwebtoken, or that the keys are not known, which is not the fault of the token.
 */
export function toRefusal(failure: unknown): UnauthenticatedError | ServiceUnavailableException {
  if (failure instanceof UnauthenticatedError || failure instanceof ServiceUnavailableException) return failure;
  return tokenRefused(REASON_OF_ERROR.get(failure instanceof Error ? failure.name : '') ?? 'SIGNATURE');
}
