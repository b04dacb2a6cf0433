import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import type { Server } from 'node:http';
import { Provider } from 'oidc-provider';
import { explainToken } from '../../src/auth/index.js';
import type { TokenEnvironment } from '../../src/shared/config/env.js';
import { findFreePort } from '../support/process/service-process.js';
import { testEnvironment, TestApp } from '../support/app/test-app.js';

/* Tests the instructions in docs/identity-providers.md with tokens of a real identity provider. */

const AUDIENCE = 'https://care.example.org';
const NAMESPACE = 'https://care.example.org';
const CLIENT = { client_id: 'frontend', client_secret: 'a secret of the tests alone' };
const PATH = '/gateway/profile/clinic/book';

let server: Server;
let issuer: string;
/** Claims that the identity provider adds to access tokens. */
let claims: Record<string, unknown>;
let lifetime = 3_600;
beforeAll(async () => {
  const key = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(key.privateKey)), alg: 'RS256', use: 'sig', kid: 'rsa-1' };
  // Suppresses the library's warnings that its configuration is not meant for production.
  for (const level of ['warn', 'info'] as const) jest.spyOn(console, level).mockReturnValue();
  const port = await findFreePort();
  issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    jwks: { keys: [jwk] },
    clients: [{ ...CLIENT, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'care',
          audience: resource,
          accessTokenTTL: lifetime,
          accessTokenFormat: 'jwt',
        }),
      },
    },
    extraTokenClaims: () => claims,
  });
  server = await new Promise<Server>((resolve) => {
    const started: Server = provider.listen(port, '127.0.0.1', () => resolve(started));
  });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Requests an access token. */
async function issue(extra: Record<string, unknown>, audience = AUDIENCE): Promise<string> {
  claims = extra;
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource: audience, ...CLIENT });
  const response = await fetch(`${issuer}/token`, { method: 'POST', body });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}

const environmentWith = (claimPaths: Partial<TokenEnvironment['claims']>): TokenEnvironment => ({
  ...testEnvironment.token,
  key: { kind: 'keySet', url: `${issuer}/jwks` },
  issuer,
  audience: AUDIENCE,
  claims: { ...testEnvironment.token.claims, ...claimPaths },
});

const RECIPES: [string, Partial<TokenEnvironment['claims']>, (id: number) => Record<string, unknown>][] = [
  [
    'Keycloak',
    { role: 'realm_access.roles' },
    (id) => ({ realm_access: { roles: ['offline_access', 'clinic'] }, clinicId: String(id) }),
  ],
  [
    'Auth0',
    { role: `${NAMESPACE}/roles`, clinicId: `${NAMESPACE}/clinicId` },
    (id) => ({ [`${NAMESPACE}/roles`]: ['Clinic'], [`${NAMESPACE}/clinicId`]: id }),
  ],
  ['Entra', { role: 'roles', clinicId: 'extn.clinicId' }, (id) => ({ roles: ['Clinic'], 'extn.clinicId': String(id) })],
];

it.each(RECIPES)('a token with the claims of %s is accepted', async (_, paths, claimsOf) => {
  const app = await TestApp.start({ token: environmentWith(paths) });
  try {
    const { clinicId } = await app.createClinic();
    const good = await issue(claimsOf(clinicId));
    expect((await app.call('GET', PATH, { token: good })).status).toBe(200);
    const foreign = await issue(claimsOf(clinicId), 'https://another.example.org');
    expect((await app.call('GET', PATH, { token: foreign })).status).toBe(401);
  } finally {
    await app.stop();
  }
});

describe('explain-token', () => {
  const explain = async (token: string, acting?: string) => {
    const environment = { ...testEnvironment, token: environmentWith({ role: 'roles' }) };
    return explainToken(environment, token, acting);
  };
  const [good, audience] = [{ roles: ['CLINIC', 'ADMIN'], clinicId: '7' }, 'https://another.example.org'];

  it('accepts the tokens that the service accepts', async () => {
    const { isAccepted, lines } = await explain(await issue(good), 'clinic');
    expect([isAccepted, lines[0]]).toEqual([true, 'ACCEPTED  {"role":"CLINIC","subject":"frontend","clinicId":7}']);
    expect(lines).toContain('claim     clinicId "7"');
    expect(lines).toContain(`claim     aud "${AUDIENCE}"`);
  });

  it('says which check has failed', async () => {
    const verdictOf = async (token: string, acting?: string) => (await explain(token, acting)).lines[0]!;
    const one = { ...good, roles: ['CLINIC'] };
    expect(await verdictOf(await issue(one, audience))).toMatch(/^REFUSED {3}AUDIENCE: /);
    expect(await verdictOf(await issue({}))).toMatch(/^REFUSED {3}ROLE: /);
    expect(await verdictOf(await issue(good))).toMatch(/^REFUSED {3}ROLE: /);
    expect(await verdictOf(await issue(one), 'ADMIN')).toMatch(/^REFUSED {3}ACTING_ROLE: /);
    expect(await verdictOf(await issue({ ...one, clinicId: '7.5' }))).toMatch(/^REFUSED {3}RECORD: /);
    lifetime = 48 * 3_600;
    expect(await verdictOf(await issue(one))).toMatch(/^REFUSED {3}LIFETIME: /);
    lifetime = 3_600;
    const [header, payload, signature] = (await issue(one)).split('.');
    const unknown = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'other' })).toString('base64url');
    expect(await verdictOf(`${unknown}.${payload}.${signature}`)).toMatch(/^REFUSED {3}UNKNOWN_KEY: /);
    expect(await verdictOf(`${header}.${payload}.`)).toMatch(/^REFUSED {3}NOT_A_TOKEN: /);
  });
});
