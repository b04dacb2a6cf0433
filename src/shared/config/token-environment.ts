/** Where in a token the claims of ours stand: a name, or names with dots between them. */
export type ClaimPaths = Readonly<Record<'role' | 'clinicId' | 'caregiverId' | 'clientId', string>>;

/** How tokens are verified (docs/decisions.md, "Tokens"). */
export type TokenEnvironment = {
  key: { kind: 'secret'; secret: string } | { kind: 'keySet'; url: string } | { kind: 'generated'; dataDir: string };
  issuer: string | undefined;
  audience: string | undefined;
  claims: ClaimPaths;
  /** The longest time from a token's beginning to its end. */
  maxLifetime: Temporal.Duration;
  /** How often each instance looks for tokens that were revoked on another one. */
  revocationInterval: Temporal.Duration;
};

type TokenVariables = {
  DATA_DIR: string;
  JWT_SECRET?: string | undefined;
  JWT_JWKS_URL?: string | undefined;
  JWT_ISSUER?: string | undefined;
  JWT_AUDIENCE?: string | undefined;
  JWT_MAX_LIFETIME: Temporal.Duration;
  JWT_REVOCATION_INTERVAL: Temporal.Duration;
  JWT_ROLE_CLAIM: string;
  JWT_CLINIC_CLAIM: string;
  JWT_CAREGIVER_CLAIM: string;
  JWT_CLIENT_CLAIM: string;
};

export function toTokenEnvironment(given: TokenVariables): TokenEnvironment {
  return {
    key: toTokenKey(given),
    issuer: given.JWT_ISSUER,
    audience: given.JWT_AUDIENCE,
    claims: {
      role: given.JWT_ROLE_CLAIM,
      clinicId: given.JWT_CLINIC_CLAIM,
      caregiverId: given.JWT_CAREGIVER_CLAIM,
      clientId: given.JWT_CLIENT_CLAIM,
    },
    maxLifetime: given.JWT_MAX_LIFETIME,
    revocationInterval: given.JWT_REVOCATION_INTERVAL,
  };
}

function toTokenKey(given: TokenVariables): TokenEnvironment['key'] {
  if (given.JWT_SECRET !== undefined) return { kind: 'secret', secret: given.JWT_SECRET };
  if (given.JWT_JWKS_URL !== undefined) return { kind: 'keySet', url: given.JWT_JWKS_URL };
  return { kind: 'generated', dataDir: given.DATA_DIR };
}
