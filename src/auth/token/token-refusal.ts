import { ServiceUnavailableException } from '@nestjs/common';
import { UnauthenticatedError } from '../../shared/errors/index.js';

/**
 * Reasons for refusing a token, shown in logs and by the `explain-token` command. The response to the caller is always
 * the same, because the reason would help an attacker.
 */
export const REFUSAL_REASONS = {
  NO_TOKEN: 'the request has no Authorization header',
  NOT_ONE_BEARER_TOKEN: 'the Authorization header is not one `Bearer <token>`, or was sent more than once',
  NOT_A_TOKEN: 'the token is not three base64url parts, or is longer than 8,192 characters',
  NOT_PLAIN_JSON: 'the header or the payload is not a JSON object, repeats a member, or is nested too deeply',
  TYPE: 'the header `typ` names a kind of token other than an access token',
  EXTENSION: 'the header uses `crit` or `b64`, which are not supported',
  ALGORITHM: 'the header `alg` is not one of the configured algorithms',
  UNKNOWN_KEY: 'the key set has no key for the `kid` and `alg` of the header, or more than one',
  WEAK_KEY: 'the RSA key is shorter than 2,048 bits',
  SIGNATURE: 'the signature does not belong to this token and key',
  EXPIRED: 'the token has expired (`exp`)',
  NOT_YET_VALID: 'the token is not valid yet (`nbf`)',
  ISSUER: 'the claim `iss` is not JWT_ISSUER',
  AUDIENCE: 'the claim `aud` does not contain JWT_AUDIENCE',
  SUBJECT: 'the claim `sub` must be a text of 1 to 255 characters, without NUL, in well-formed Unicode',
  EXPIRY: 'the claim `exp` must be a number',
  ISSUED_AT: 'the claim `iat` must be a number if it is present',
  TOKEN_ID: 'the claim `jti` must be a text of 1 to 255 characters, without NUL, in well-formed Unicode',
  LIFETIME: 'the lifetime is longer than JWT_MAX_LIFETIME, or begins in the future (`iat`, `exp`)',
  ROLE: 'the role claim (JWT_ROLE_CLAIM) names no role, or several roles without the header `Acting-Role`',
  RECORD: 'the claim with the record id of this role is missing, or is not a positive integer',
  REVOKED: 'the token was revoked',
} as const;

export type RefusalReason = keyof typeof REFUSAL_REASONS;

/** Creates the error for a refused token. The response does not contain the reason. */
export function createRefusalError(reason: RefusalReason): UnauthenticatedError {
  return new UnauthenticatedError(reason);
}

/** Maps the names of jsonwebtoken errors to reasons. */
const REASON_OF_ERROR = new Map<string, RefusalReason>([
  ['TokenExpiredError', 'EXPIRED'],
  ['NotBeforeError', 'NOT_YET_VALID'],
]);

/**
 * Converts a failure reported by passport into the error for the response.
 *
 * @param failure an application error, a jsonwebtoken error, or a 503 if the keys are unavailable
 */
export function toRefusalError(failure: unknown): UnauthenticatedError | ServiceUnavailableException {
  if (failure instanceof UnauthenticatedError || failure instanceof ServiceUnavailableException) return failure;
  return createRefusalError(REASON_OF_ERROR.get(failure instanceof Error ? failure.name : '') ?? 'SIGNATURE');
}
