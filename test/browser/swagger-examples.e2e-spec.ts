import { MikroORM } from '@mikro-orm/core';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { OptOutLink, ReminderPreference } from '../../src/reminder/index.js';
import type { Role } from '../../src/shared/access/index.js';
import { Clock } from '../../src/shared/time/index.js';
import { DemonstrationApp } from '../support/app/demonstration-app.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';
import {
  SwaggerPage,
  type ExecutedExample,
  type Operation,
  type TypedValues,
} from '../support/browser/swagger-page.js';

/*
 * Executes operations in Swagger UI (/docs) with their prefilled examples, in a browser, on a new embedded database,
 * with the demonstration token of the operation's role. With SOAK=1, executes all operations, which takes minutes.
 * Otherwise, executes one of each kind and those that are new since the last release. FILM names a directory for
 * screenshots.
 */

const FILM = process.env['FILM'];

type OpenApi = { paths: Record<string, Record<string, { tags: [string] }>> };

const CLINIC = '/gateway/profile/clinic';
const CARE_PROVIDER = '/gateway/profile/caregiver';
const CLIENT = '/gateway/profile/client';

/** The order in which a user would try the operations. Those that end something come last. */
const ORDER = [
  /^GET \/(?!calendar|reminder)/,
  /^POST .*\/(session|design-plan|care-provider|client|book|clinic|calendar-link|import|revoked-token|clone|apply)$/,
  /^PUT .*external/,
  /^PUT /,
  /^GET \/calendar/,
  /^POST .*\{id\}\/redrive$/,
  /^POST .*redrive$/,
  /^POST .*homework\/\{id\}\/complete$/,
  /^POST .*caregiver\/session\/\{id\}\/complete$/,
  /^POST .*caregiver\/session\/\{id\}\/undo$/,
  /^POST .*caregiver\/session\/\{id\}\/no-show$/,
  /^POST .*clinic\/session\/\{id\}\/undo$/,
  /^POST .*clinic\/session\/\{id\}\/complete$/,
  /^POST .*clinic\/session\/\{id\}\/no-show$/,
  /^POST .*caregiver\/.*\/pause$/,
  /^POST .*caregiver\/.*\/resume$/,
  /^POST .*clinic\/.*\/pause$/,
  /^POST .*clinic\/.*\/resume$/,
  /^POST .*client\/homework\/\{id\}\/undo$/,
  /^POST .*\/(shift|skip-week)$/,
  /^PATCH /,
  // `revise` comes before `cancel`: the example plan has only one week, so the revision cancels the Sessions of later
  // weeks.
  /^POST .*\/revise$/,
  /^POST .*\/cancel$/,
  // A legal hold would refuse the erasure of its Clinic.
  /^DELETE .*\/legal-hold$/,
  /^POST (?!.*(reassign|confirmation))/,
  /^DELETE .*\/(calendar-link|design-plan)\//,
  /^POST .*design-plan\/\{id\}\/restore$/,
  /^POST (?!.*confirmation)/,
  /^DELETE .*\/care-provider\/\{careProviderId\}/,
  /^DELETE .*\/(book|client|care-provider)\//,
  // Operations of the administrator end the Clinic of the other examples.
  /^DELETE (?!\/gateway\/admin)/,
  /^POST (?!\/gateway\/admin).*\/confirmation$/,
  /^DELETE /,
  /^POST .*\/confirmation$/,
];

const SAMPLE = [
  ...[
    `GET ${CLINIC}/week`,
    `GET ${CARE_PROVIDER}/session`,
    `POST ${CLINIC}/design-plan`,
    `POST ${CARE_PROVIDER}/session`,
  ],
  ...[`PUT ${CLINIC}/design-plan/{id}`, `POST ${CLIENT}/homework/{id}/complete`, `DELETE ${CLINIC}/book/{id}`],
];

const released = JSON.parse(readFileSync('docs/openapi-released.json', 'utf8')) as OpenApi;
const isReleased = ({ method, path }: Operation) => released.paths[path]?.[method.toLowerCase()] !== undefined;

describeInBrowser('the examples of Swagger UI', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  let swagger: SwaggerPage;
  beforeAll(async () => {
    app = await DemonstrationApp.start();
    browser = await launchBrowser();
    swagger = await SwaggerPage.open(browser, app.url);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  it('work as they are prefilled', async () => {
    const failures: string[] = [];
    const all = await listOperations();
    const isTried = (one: Operation) =>
      process.env['SOAK'] || SAMPLE.includes(`${one.method} ${one.path}`) || !isReleased(one);
    const operations = all.filter(isTried);
    expect(operations.length).toBeGreaterThanOrEqual(process.env['SOAK'] ? all.length : SAMPLE.length);
    let current: Role | undefined;
    for (const operation of operations) {
      const { method, path } = operation;
      const role = toRole(path);
      if (role !== undefined && role !== current) await swagger.authorize(await app.createToken(role));
      current = role ?? current;
      const failure = findFailure(await swagger.execute(operation, await prepare(method, path)));
      if (FILM !== undefined && SAMPLE.includes(`${method} ${path}`))
        await swagger.capture(method, path, join(FILM, `${method} ${path.replaceAll('/', ' ')}.png`));
      if (failure === undefined) continue;
      failures.push(`${method} ${path}: ${failure}`);
      process.stdout.write(`${failures.at(-1)}\n`);
    }
    process.stdout.write(
      `${operations.length} examples of ${all.length} operations executed in the browser, ${failures.length} failed\n`,
    );
    expect(failures).toEqual([]);
    expect(swagger.consoleErrors).toEqual([]);
  }, 1_800_000);

  async function listOperations(): Promise<Operation[]> {
    const { paths } = (await (await fetch(`${app.url}/openapi.json`)).json()) as OpenApi;
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([member]) => member !== 'parameters')
        .map(
          ([
            method,
            {
              tags: [tag],
            },
          ]) => ({ method: method.toUpperCase(), path, tag }),
        ),
    );
    const place = ({ method, path }: Operation) => ORDER.findIndex((pattern) => pattern.test(`${method} ${path}`));
    return operations.sort((a, b) => place(a) - place(b));
  }

  /** Performs what must precede an operation. Returns the values that a user must read first and enter. */
  async function prepare(method: string, path: string): Promise<TypedValues> {
    switch (`${method} ${path}`) {
      case `PATCH ${CLINIC}/session/{id}`:
      case `PATCH ${CARE_PROVIDER}/session/{id}`:
        await app.call('POST', `${CLINIC}/session/1/undo`, 'CLINIC');
        return { 'if-match': await readEtag(`${CLINIC}/session/1`) };
      case `POST ${CLINIC}/session/{id}/no-show`:
      case `POST ${CLINIC}/session/{id}/cancel`:
      case `POST ${CARE_PROVIDER}/session/{id}/cancel`:
        await app.call('POST', `${CLINIC}/session/1/undo`, 'CLINIC');
        return {};
      case `POST ${CLINIC}/series/{seriesId}/revise`:
        await addRevision();
        return {};
      case 'GET /calendar/{secret}.ics': {
        const { body } = await app.call('POST', `${CLIENT}/calendar-link`, 'CLIENT', {});
        return { secret: /calendar\/(.*)\.ics$/.exec(String(body.url))![1]! };
      }
      case 'GET /reminder/opt-out/{kind}/{secret}':
      case 'POST /reminder/opt-out/{kind}/{secret}':
        return { secret: await createOptOutSecret() };
      default:
        return {};
    }
  }

  /** Creates an opt-out link and returns its secret. Only e-mails contain secrets, and the demonstration sends none. */
  async function createOptOutSecret(): Promise<string> {
    await app.call('PUT', `${CLIENT}/reminder-preference`, 'CLIENT', { channels: ['LOG'] });
    const secret = randomBytes(24).toString('base64url');
    const em = app.nest.get(MikroORM).em.fork({ session: { role: 'postgres' } });
    await em.transactional(async (one) => {
      const { clinicId, ownerId } = await one.findOneOrFail(ReminderPreference, { ownerKind: 'CLIENT' });
      const now = app.nest.get(Clock).now();
      await one.persist(new OptOutLink(clinicId, { kind: 'CLIENT', id: ownerId }, secret, now)).flush();
    });
    return secret;
  }

  /** Adds a revision to the plan. The previous example has already revised the series to the newest one. */
  async function addRevision(): Promise<void> {
    const { body } = await app.get(`${CLINIC}/design-plan/1/export`, 'CLINIC');
    const headers = { 'if-match': await readEtag(`${CLINIC}/design-plan/1`) };
    await app.call('PUT', `${CLINIC}/design-plan/1`, 'CLINIC', { ...body.plan, planName: 'Once more' }, headers);
  }

  const readEtag = async (path: string) => (await app.get(path, 'CLINIC')).headers.get('etag')!;
});

function toRole(path: string): Role | undefined {
  if (path.startsWith(CLINIC) || path.startsWith('/design-plan')) return 'CLINIC';
  if (path.startsWith(CARE_PROVIDER)) return 'CARE_PROVIDER';
  if (path.startsWith(CLIENT)) return 'CLIENT';
  return path.startsWith('/gateway/admin') ? 'ADMIN' : undefined;
}

function findFailure({ status, body, pageErrors }: ExecutedExample): string | undefined {
  if (pageErrors.length > 0) return pageErrors.join('; ');
  if (status < 200 || status >= 300) return `${status} ${body.slice(0, 400)}`;
  return body.includes('"items":[]') ? 'an empty list' : undefined;
}
