import { request } from 'node:http';
import {
  encodeToken,
  SECONDS_PER_HOUR,
  hmacSigner,
  createHostileTokens,
  rsaSigner,
  nowInSeconds,
  type HostileToken,
  type TokenTarget,
} from '../support/http/hostile-tokens.js';
import { KeyServer, createKeyPair, toPublicJwk } from '../support/http/key-server.js';
import { TEST_JWT_SECRET, testEnvironment, TestApp } from '../support/app/test-app.js';

/*
 * Sends hostile tokens to a service with a shared secret and to one with a key set. All must be refused quickly, with
 * the same response, and without a request for keys.
 */

const PATH = '/gateway/profile/clinic/client';
const MOST_MILLISECONDS = 50;
/** Number of attempts. Only the fastest counts, because the machine may be busy. */
const TRIES = 5;
/** Maximum number of attempts while no response is fast enough, because the machine may be busy. */
const MOST_TRIES = 50;
const fastestOf = (replies: readonly Reply[]) => Math.min(...replies.map(({ milliseconds }) => milliseconds));
const KEY_SET_COOLDOWN_SECONDS = 30;

type Reply = { status: number; type?: string; challenge?: string; body: string; milliseconds: number };

/** Sends a request with `node:http`, because `fetch` would join repeated headers. */
function send(app: TestApp, { token, authorization = `Bearer ${token}`, query = '' }: HostileToken): Promise<Reply> {
  const startedAt = performance.now();
  const headers = authorization.length === 0 ? {} : { authorization: authorization as string };
  return new Promise((resolve, reject) => {
    const call = request(new URL(PATH + query, app.url), { headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => {
        const { 'content-type': type, 'www-authenticate': challenge } = response.headers;
        resolve({ status: response.statusCode!, type, challenge, body, milliseconds: performance.now() - startedAt });
      });
    });
    call.on('error', reject);
    call.end();
  });
}

describe.each(['a shared secret', 'a key set'])('with %s', (kind) => {
  let app: TestApp;
  let keyServer: KeyServer;
  let trap: KeyServer;
  let target: TokenTarget;

  beforeAll(async () => {
    const [known, ec] = await Promise.all([createKeyPair('RS256'), createKeyPair('ES256')]);
    keyServer = await KeyServer.start([
      await toPublicJwk(known, 'rsa-1', 'RS256'),
      await toPublicJwk(ec, 'ec-1', 'ES256'),
    ]);
    trap = await KeyServer.start();
    const isSecret = kind === 'a shared secret';
    const key = isSecret
      ? ({ kind: 'secret', secret: TEST_JWT_SECRET } as const)
      : ({ kind: 'keySet', url: keyServer.url } as const);
    const [issuer, audience] = ['https://id.example.org', 'care'];
    app = await TestApp.start({ token: { ...testEnvironment.token, key, issuer, audience } });
    const { clinicId } = await app.createClinic();
    const now = nowInSeconds();
    target = {
      ...(isSecret
        ? { alg: 'HS256', sign: hmacSigner(TEST_JWT_SECRET) }
        : { alg: 'RS256', kid: 'rsa-1', sign: rsaSigner(known) }),
      known,
      claims: {
        role: 'CLINIC',
        clinicId,
        sub: 'person',
        iss: issuer,
        aud: audience,
        iat: now,
        exp: now + SECONDS_PER_HOUR,
      },
      trap: trap.url,
    };
  });
  afterAll(async () => {
    await app.stop();
    await Promise.all([keyServer.stop(), trap.stop()]);
  });

  const good = () => ({
    title: 'good',
    token: encodeToken({ alg: target.alg, kid: target.kid, typ: 'JWT' }, target.claims, target.sign),
  });

  it('refuses each hostile token within 50 ms, without a request for keys', async () => {
    expect((await send(app, good())).status).toBe(200);
    const startedAt = performance.now();
    const asked = keyServer.requestCount;
    const attacks = await createHostileTokens(target);
    expect(new Set(attacks.map(({ title }) => title)).size).toBeGreaterThanOrEqual(200);
    const wrong: unknown[] = [];
    for (const attack of attacks) {
      const replies = await tries(attack);
      const fastest = fastestOf(replies);
      const { status, type, challenge, body } = replies[0]!;
      const seen = [status, type, challenge, JSON.parse(body).detail];
      const isPlain = attack.authorization?.length === 0;
      const expected = [
        ...[401, 'application/problem+json; charset=utf-8', isPlain ? 'Bearer' : 'Bearer error="invalid_token"'],
        'A valid bearer token is required.',
      ];
      const isSame = new Set(replies.map((reply) => reply.status)).size === 1;
      if (String(seen) !== String(expected) || !isSame || fastest > MOST_MILLISECONDS) {
        wrong.push([attack.title, ...seen, fastest]);
      }
    }
    expect(wrong).toEqual([]);
    expect(trap.requestCount).toBe(0);
    const elapsed = (performance.now() - startedAt) / 1000;
    expect(keyServer.requestCount - asked).toBeLessThanOrEqual(
      kind === 'a key set' ? elapsed / KEY_SET_COOLDOWN_SECONDS : 0,
    );
    // Valid tokens must still be accepted after the hostile ones.
    expect((await send(app, good())).status).toBe(200);
  });

  async function tries(attack: HostileToken): Promise<Reply[]> {
    const replies: Reply[] = [];
    while (replies.length < TRIES || (replies.length < MOST_TRIES && fastestOf(replies) > MOST_MILLISECONDS))
      replies.push(await send(app, attack));
    return replies;
  }

  it('refuses even larger tokens as too large', async () => {
    const { status } = await send(app, { title: 'too large', token: 'x'.repeat(20_000) });
    expect(status).toBe(431);
  });
});
