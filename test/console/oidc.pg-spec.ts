import { jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer, request as sendRequest, type Server } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Browser, Page } from 'playwright-core';
import { createApplication } from '../../src/app.setup.js';
import { testEnvironment, TestApp, waitFor } from '../support/app/test-app.js';
import { ConsolePage } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';
import { findFreePort } from '../support/process/service-process.js';

/* Tests signing in to the console with a real OpenID provider, with two instances on one PostgreSQL database. */

const AUDIENCE = 'https://care.example.org';
/** A short token lifetime in seconds. The console renews a token when a fifth of its lifetime is left. */
const SHORT = 3;
/** A lifetime in seconds that is longer than a test takes, even on a busy machine. */
const LONG = 600;

describeInBrowser('signing in with an identity provider', () => {
  let provider: Provider;
  let issuer: string;
  let origin: string;
  let app: TestApp;
  let second: NestFastifyApplication;
  let browser: Browser;
  const servers: Server[] = [];
  /** Claims that the identity provider adds to access tokens. */
  let claims: Record<string, unknown> = {};
  /** Lifetime of the next access token. */
  let lifetime = LONG;
  /** Number of requests that each instance has answered. */
  const answered = [0, 0];

  beforeAll(async () => {
    for (const level of ['warn', 'info', 'error'] as const) jest.spyOn(console, level).mockReturnValue();
    const [providerPort, port] = [await findFreePort(), await findFreePort()];
    issuer = `http://localhost:${providerPort}`;
    origin = `http://localhost:${port}`;
    provider = createProvider();
    servers.push(provider.listen(providerPort, '127.0.0.1'));
    const { token } = testEnvironment;
    app = await TestApp.start({
      publicUrl: origin,
      token: {
        ...{ ...token, key: { kind: 'keySet', url: `${issuer}/jwks` }, issuer, audience: AUDIENCE },
        claims: { ...token.claims, role: 'roles' },
      },
      consoleSignIn: {
        ...{ issuer, clientId: 'console', scope: 'openid profile' },
        audience: { parameter: 'resource', value: AUDIENCE },
      },
    });
    second = await createApplication(app.environment, app.clock);
    await second.listen({ port: 0, host: '127.0.0.1' });
    servers.push(balance([app.url, await second.getUrl()]).listen(port, '127.0.0.1'));
    browser = await launchBrowser();
    const { clinicId, clientIds } = await app.createClinic();
    claims = { roles: ['CLINIC', 'CLIENT'], clinicId, clientId: clientIds[0] };
  });
  afterAll(async () => {
    await browser.close();
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await second.close();
    await app.stop();
  });

  function createProvider(): Provider {
    const client = { client_id: 'console', token_endpoint_auth_method: 'none', response_types: ['code'] } as const;
    return new Provider(issuer, {
      clients: [
        {
          ...client,
          grant_types: ['authorization_code', 'refresh_token'],
          redirect_uris: [`${origin}/`],
          post_logout_redirect_uris: [`${origin}/`],
        },
      ],
      claims: { openid: ['sub'], profile: ['name'] },
      conformIdTokenClaims: false,
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, name: 'Robin Example' }) }),
      clientBasedCORS: (_context, from) => from === origin,
      issueRefreshToken: async () => true,
      rotateRefreshToken: true,
      extraTokenClaims: () => claims,
      features: {
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, resource) => ({
            ...{ scope: 'openid profile', audience: resource, accessTokenTTL: lifetime, accessTokenFormat: 'jwt' },
          }),
        },
      },
    });
  }

  /** Forwards requests to the instances in turn. */
  function balance(urls: string[]): Server {
    let count = 0;
    return createServer((incoming, outgoing) => {
      const index = (count += 1) % urls.length;
      answered[index]! += 1;
      const { method, headers } = incoming;
      const passed = sendRequest(urls[index]! + incoming.url!, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    });
  }

  beforeEach(() => {
    lifetime = LONG;
  });

  const open = () => ConsolePage.open(browser, { url: origin });
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

  async function goToProvider({ page }: ConsolePage): Promise<void> {
    await page.getByRole('button', { name: 'Sign in with your account' }).click();
    await page.locator('input[name=login]').waitFor();
  }

  async function signIn(visitor: ConsolePage): Promise<void> {
    await goToProvider(visitor);
    await visitor.page.locator('input[name=login]').fill('robin');
    await visitor.page.locator('input[name=password]').fill('any');
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('button', { name: 'Continue' }).click();
    await visitor.page.waitForURL(`${origin}/**`);
  }

  /** Collects the bodies of the requests for tokens. */
  function watchTokens({ page }: ConsolePage): URLSearchParams[] {
    const bodies: URLSearchParams[] = [];
    page.on('request', (request) => {
      if (request.url() === `${issuer}/token`) bodies.push(new URLSearchParams(request.postData() ?? ''));
    });
    return bodies;
  }

  /** Returns the complaints about pages of the console, without those about the provider's page. */
  const complaintsOf = ({ complaints }: ConsolePage) =>
    complaints.filter((complaint) => !complaint.startsWith(`request to ${issuer}/`));

  it('signs in, calls both instances, renews the token with rotated refresh tokens, and signs out', async () => {
    const visitor = await open();
    const { page } = visitor;
    await heading(page, 'Sign in');
    expect(await visitor.listAxeViolations()).toEqual([]);
    expect(complaintsOf(visitor)).toEqual([]);
    const tokens = watchTokens(visitor);
    const actingRoles = new Set<string | undefined>();
    page.on('request', (request) => {
      if (request.url().includes('/gateway/')) actingRoles.add(request.headers()['acting-role']);
    });
    await signIn(visitor);
    await heading(page, 'How would you like to work?');
    expect(await visitor.listAxeViolations()).toEqual([]);
    visitor.complaints.length = 0;
    await page.getByRole('button', { name: /^Client/ }).click();
    await page.getByText('No homework', { exact: false }).first().waitFor();
    expect(page.url()).toBe(`${origin}/#/`);
    expect(tokens.map((body) => body.get('grant_type'))).toEqual(['authorization_code']);

    // The first response refuses the token, so that the console fetches a new one immediately.
    lifetime = SHORT;
    let refused = 0;
    await page.route('**/client/session?*to=*', (route) => {
      refused += 1;
      return refused > 1 ? route.continue() : route.fulfill({ status: 401, body: '{}' });
    });
    await page.getByText('Past Sessions').click();
    await waitFor(() => refused === 2);
    // From now on, the token is renewed before the service could refuse it.
    await new Promise((resolve) => setTimeout(resolve, SHORT * 1_000));
    const menu = () => page.getByRole('button', { name: 'Signed in as Robin Example' }).click();
    await menu();
    await page.getByRole('button', { name: 'Clinic', exact: true }).click();
    await menu();
    await page.getByRole('button', { name: 'Client', exact: true }).click();
    await page.getByText('No homework', { exact: false }).first().waitFor();
    const refreshTokens = tokens.slice(1).map((body) => body.get('refresh_token')!);
    expect(refreshTokens.length).toBeGreaterThanOrEqual(2);
    expect(new Set(refreshTokens).size).toBe(refreshTokens.length);
    expect(actingRoles).toContain('CLIENT');
    expect(Math.min(...answered)).toBeGreaterThan(0);
    const stored = await visitor.readStorage();
    for (const secret of ['eyJ', 'care-scheduling.sign-in', ...refreshTokens]) expect(stored).not.toContain(secret);
    expect(complaintsOf(visitor).filter((complaint) => !complaint.includes('401'))).toEqual([]);

    // The user signs out while the response of a renewal, with a new refresh token, is on its way.
    const newest = Promise.withResolvers<string>();
    const signOutClicked = Promise.withResolvers<undefined>();
    await page.route(`${issuer}/token`, async (route) => {
      const response = await route.fetch();
      newest.resolve(((await response.json()) as { refresh_token: string }).refresh_token);
      await signOutClicked.promise;
      await route.fulfill({ response });
    });
    await new Promise((resolve) => setTimeout(resolve, SHORT * 1_000));
    await page.getByText('Past Sessions').click();
    const newestToken = await newest.promise;
    const revocation = page.waitForRequest(`${issuer}/token/revocation`);
    await menu();
    await page.getByRole('button', { name: 'Sign out' }).click();
    signOutClicked.resolve(undefined);
    expect(new URLSearchParams((await revocation).postData()!).get('token')).toBe(newestToken);
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.waitForURL(`${origin}/**`);
    await heading(page, 'Sign in');
    expect(await renew(newestToken)).toBe('invalid_grant');
    await visitor.close();
  });

  async function renew(refreshToken: string): Promise<string | undefined> {
    const body = new URLSearchParams({
      ...{ grant_type: 'refresh_token', client_id: 'console', refresh_token: refreshToken },
    });
    const response = await fetch(`${issuer}/token`, { method: 'POST', body });
    return ((await response.json()) as { error?: string }).error;
  }

  it('shows why the provider refuses, and uses no answer that it has not asked for', async () => {
    const visitor = await open();
    const { page } = visitor;
    const tokens = watchTokens(visitor);
    await goToProvider(visitor);
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('The identity provider refused the sign-in').waitFor();
    await page.getByText('access_denied').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    // Sends a response that this tab has not requested, and responses with another state or issuer.
    await page.goto(`${origin}/?code=forged&state=forged&iss=${issuer}`);
    await heading(page, 'Sign in');
    expect(page.url()).toBe(`${origin}/`);
    for (const [name, value] of [
      ['state', 'forged'],
      ['iss', 'https://other.example'],
    ] as const) {
      await goToProvider(visitor);
      const kept = await page.context().pages()[0]!.evaluate('location.origin');
      expect(kept).toBe(issuer);
      await page.goto(`${origin}/icon-that-is-not-there`);
      const pending = JSON.parse(
        (await page.evaluate<string | null>("sessionStorage.getItem('care-scheduling.sign-in')"))!,
      ) as { state: string };
      const answer = new URLSearchParams({ code: 'forged', state: pending.state, iss: issuer, [name]: value });
      await page.goto(`${origin}/?${answer.toString()}`);
      await page.getByText('The sign-in did not work').waitFor();
    }
    expect(tokens).toEqual([]);
    await visitor.close();
  });

  it('can be started again if the page of the provider was not opened', async () => {
    const visitor = await open();
    const { page } = visitor;
    // The page stays, as if the user had stopped the navigation.
    await page.route(`${issuer}/auth?*`, (route) => route.fulfill({ status: 204 }));
    const empty = page.waitForResponse((response) => response.url().startsWith(`${issuer}/auth?`));
    await page.getByRole('button', { name: 'Sign in with your account' }).click();
    await empty;
    await page.unrouteAll();
    await goToProvider(visitor);
    await visitor.close();
  });

  /** The provider gives no more tokens, and the access token expires. */
  async function refuseTokens(page: Page): Promise<void> {
    await page.route(`${issuer}/token`, (route) =>
      route.fulfill({
        status: 400,
        headers: { 'access-control-allow-origin': origin },
        json: { error: 'invalid_grant' },
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, SHORT * 1_000));
  }

  it('asks to sign in again when the provider gives no more tokens, and returns to the page', async () => {
    const roles = claims['roles'];
    claims['roles'] = ['CLIENT'];
    lifetime = SHORT;
    const visitor = await open();
    const { page } = visitor;
    await visitor.goTo('/my-care?from=test');
    await signIn(visitor);
    await page.getByText('No homework', { exact: false }).first().waitFor();
    expect(page.url()).toBe(`${origin}/#/my-care?from=test`);
    await refuseTokens(page);
    await page.getByText('Past Sessions').click();
    await page.getByText('Your sign-in has ended').waitFor();
    await page.unroute(`${issuer}/token`);
    claims['roles'] = [];
    // The session at the provider still exists, so the provider does not ask for a password.
    await page.getByRole('button', { name: 'Sign in with your account' }).click();
    await page.getByText('Your account has no role here').waitFor();
    claims['roles'] = roles;
    await visitor.close();
  });

  it('stays signed in if the provider limits the rate of requests', async () => {
    const roles = claims['roles'];
    claims['roles'] = ['CLIENT'];
    lifetime = SHORT;
    const visitor = await open();
    const { page } = visitor;
    await signIn(visitor);
    await page.getByText('No homework', { exact: false }).first().waitFor();
    const headers = { 'access-control-allow-origin': origin };
    await page.route(`${issuer}/token`, (route) => route.fulfill({ status: 429, headers, body: '' }));
    await new Promise((resolve) => setTimeout(resolve, SHORT * 1_000));
    await page.getByText('Past Sessions').click();
    await page.getByText('No connection').first().waitFor({ timeout: 20_000 });
    await page.unroute(`${issuer}/token`);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('No connection').first().waitFor({ state: 'detached' });
    expect(await page.getByText('Your sign-in has ended').count()).toBe(0);
    claims['roles'] = roles;
    await visitor.close();
  });

  it('keeps an unsaved plan when the provider gives no more tokens, and saves it after a new sign-in', async () => {
    const roles = claims['roles'];
    claims['roles'] = ['CLINIC'];
    lifetime = SHORT;
    const visitor = await open();
    const { page } = visitor;
    await visitor.goTo('/plan/new');
    await signIn(visitor);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Plan of an hour of work');
    await page.getByText('Changes not saved').first().waitFor();
    await refuseTokens(page);
    await page.keyboard.press('Control+s');
    await page.getByText('Your sign-in has ended, and your changes are not saved.').waitFor();
    await page.getByText('Please sign in again').waitFor({ timeout: 20_000 });
    expect(await name.inputValue()).toBe('Plan of an hour of work');
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.unroute(`${issuer}/token`);
    lifetime = LONG;
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Sign in with your account' }).click();
    const other = await opened;
    await other.getByText('Close this window, and save in the one with your changes.').waitFor();
    expect(new URL(other.url()).search).toBe('');
    await page.getByText('You are signed in again').waitFor();
    await page.getByText('Your sign-in has ended, and').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.waitForURL(/#\/plan\/\d+$/);
    expect(await name.inputValue()).toBe('Plan of an hour of work');
    claims['roles'] = roles;
    await visitor.close();
  });
});
