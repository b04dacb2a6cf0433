/** The paths of the service's claims in a token. Each path is a claim name or several names separated by dots. */
export type ClaimPaths = Readonly<Record<'role' | 'clinicId' | 'caregiverId' | 'clientId', string>>;

/** How tokens are verified (docs/decisions.md, "Tokens"). */
export type TokenEnvironment = {
  key:
    | {
        kind: 'secret';
        secret: string;
        /** The previous secret, which `secret` replaces. Tokens signed with it are still accepted. */
        previous?: string | undefined;
      }
    | { kind: 'keySet'; url: string }
    | { kind: 'generated'; dataDir: string };
  issuer: string | undefined;
  audience: string | undefined;
  claims: ClaimPaths;
  /** The longest accepted time from a token's `iat` to its `exp`. */
  maxLifetime: Temporal.Duration;
  /** How often each instance reads the tokens that other instances have revoked. */
  revocationInterval: Temporal.Duration;
};

type TokenVariables = {
  DATA_DIR: string;
  JWT_SECRET?: string | undefined;
  JWT_PREVIOUS_SECRET?: string | undefined;
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

export function toTokenEnvironment(values: TokenVariables): TokenEnvironment {
  return {
    key: toTokenKey(values),
    issuer: values.JWT_ISSUER,
    audience: values.JWT_AUDIENCE,
    claims: {
      role: values.JWT_ROLE_CLAIM,
      clinicId: values.JWT_CLINIC_CLAIM,
      caregiverId: values.JWT_CAREGIVER_CLAIM,
      clientId: values.JWT_CLIENT_CLAIM,
    },
    maxLifetime: values.JWT_MAX_LIFETIME,
    revocationInterval: values.JWT_REVOCATION_INTERVAL,
  };
}

function toTokenKey(values: TokenVariables): TokenEnvironment['key'] {
  const { JWT_SECRET: secret, JWT_PREVIOUS_SECRET: previous } = values;
  if (secret !== undefined) return { kind: 'secret', secret, previous };
  if (values.JWT_JWKS_URL !== undefined) return { kind: 'keySet', url: values.JWT_JWKS_URL };
  return { kind: 'generated', dataDir: values.DATA_DIR };
}
