import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pLimit from 'p-limit';
import pg from 'pg';
import {
  toFieldName,
  listBodyFields,
  replaceIds,
  setValueAtPath,
  type OpenApiDocument,
} from '../support/contract/openapi-document.js';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { fillPath, createValidCall } from '../support/contract/valid-call.js';
import { runSqlmap, INJECTION_MARK, requireSqlmap, type SqlmapTarget } from '../support/contract/sqlmap.js';
import { STATUS_TABLE } from '../support/status-rows.js';
import { TestTenant, type ParameterValues } from '../support/contract/tenant.js';
import { TestApp } from '../support/app/test-app.js';
import { toKeyVariables } from '../support/app/test-keys.js';

/*
 * Runs sqlmap at level 3 on every parameter of every operation: path, query, headers, and each field of the body.
 * Started by hand with npm run attack:sql. OPERATIONS=session selects operations by method and path, and LANES=4 sets
 * how many run at the same time.
 */

const OPERATIONS = new RegExp(process.env['OPERATIONS'] ?? '');
const LANES = Number(process.env['LANES'] ?? 2);
/** Headers that sqlmap itself tests at level 3, in addition to documented parameters. */
const CALLERS_HEADERS = ['user-agent', 'referer', 'cookie', 'x-forwarded-for', 'authorization'];
const SPECIFIED = ['POST /gateway/profile/clinic/design-plan', 'POST /gateway/profile/caregiver/session'];
const DAY = 24 * 60 * 60_000;

/** A place in a request to test, and the request itself. */
type Place = { title: string; target: SqlmapTarget };

let app: TestApp;
let instance: ServiceProcess;
let tenant: TestTenant;
let document: OpenApiDocument;
beforeAll(requireSqlmap);
beforeAll(async () => {
  app = await TestApp.start();
  tenant = await TestTenant.create(app);
  document = await readOpenApiDocument(app);
  const { database } = app.environment;
  instance = await ServiceProcess.start({
    ...toKeyVariables(app.environment.encryption),
    DATABASE_URL: database.kind === 'postgresql' ? database.url : '',
    LOG_LEVEL: 'error',
    ...{ RATE_LIMIT_PER_CALLER: '0', RATE_LIMIT_PER_ADDRESS: '0', RATE_LIMIT_FAILED_AUTHENTICATION: '0' },
  });
});
afterAll(async () => {
  await instance.terminate('SIGKILL');
  await app.stop();
});

it('sqlmap finds an injection in a vulnerable server', async () => {
  const server = await injectable(app);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/?title=Own${INJECTION_MARK}`;
  try {
    expect((await runSqlmap({ method: 'GET', url, headers: {} })).isInjectable).toBe(true);
  } finally {
    server.close();
  }
}, 600_000);

it(
  'finds nothing in any parameter of any operation',
  async () => {
    const places = (await Promise.all(titles().map(placesOf))).flat();
    expect(places.length).toBeGreaterThan(0);
    const [lanes, findings] = [pLimit(LANES), [] as unknown[]];
    let done = 0;
    const look = async ({ title, target }: Place) => {
      const began = performance.now();
      const { isInjectable, text } = await runSqlmap(target);
      if (isInjectable) findings.push([title, text]);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const found = isInjectable ? 'INJECTABLE' : 'nothing';
      process.stdout.write(`${(done += 1)}/${places.length} ${title}: ${found}, ${seconds} s\n`);
    };
    await lanes.map(places, look);
    const answers = await answersOf(instance);
    process.stdout.write(`${places.length} places, answers by status: ${JSON.stringify(answers)}\n`);
    expect(findings).toEqual([]);
    expect(Object.keys(answers).filter((status) => status.startsWith('5'))).toEqual([]);
  },
  2 * DAY,
);

const titles = () => Object.keys(STATUS_TABLE).filter((title) => OPERATIONS.test(title));

/**
 * Creates one request per parameter and field. The unchanged request succeeds where possible; one with If-Match
 * succeeds only once.
 */
async function placesOf(title: string): Promise<Place[]> {
  const {
    method,
    path,
    operation,
    pathValues,
    headers,
    body,
    ids: own,
  } = await createValidCall(title, tenant, document);
  // Few Sessions are created per request, because hundreds of requests are sent for each place.
  const ids: ParameterValues = { ...own, sessionCount: 1 };
  const usual = body && replaceIds(body, ids);
  const url = (change: ParameterValues = {}) => instance.url + fillPath(path, { ...pathValues, ...change });
  const whole = { method, url: url(), headers, ...(usual ? { body: JSON.stringify(usual) } : {}) };
  const place = (name: string, change: Partial<SqlmapTarget>): Place => ({
    title: `${title} ${name}`,
    target: { ...whole, ...change },
  });

  const parameters = (operation.parameters ?? []).map(({ name, in: where, schema }) => {
    const value = String(ids[name] ?? schema.example);
    if (where === 'path')
      return place(`path ${name}`, { url: url({ [name]: `${pathValues[name]}${INJECTION_MARK}` }) });
    if (where === 'query')
      return place(`query ${name}`, { url: `${url()}?${name}=${encodeURIComponent(value)}${INJECTION_MARK}` });
    return place(`header ${name}`, { headers: { ...headers, [name]: `${headers[name] ?? value}${INJECTION_MARK}` } });
  });
  const fields = listBodyFields(operation, document).map(({ at, schema }) => {
    const marked = setValueAtPath(usual, at, `${String(ids[toFieldName(at)] ?? schema.example)}${INJECTION_MARK}`);
    return place(`body /${at.join('/')}`, { body: JSON.stringify(marked) });
  });
  const ofCallers = SPECIFIED.includes(title) ? CALLERS_HEADERS : [];
  const markedHeaders = ofCallers.map((name) =>
    place(`header ${name}`, { headers: { ...headers, [name]: `${headers[name] ?? 'x'}${INJECTION_MARK}` } }),
  );
  return [...parameters, ...fields, ...markedHeaders];
}

/** Starts a vulnerable server, which concatenates its input into a statement. sqlmap must find this vulnerability. */
async function injectable({ environment }: TestApp): Promise<Server> {
  const { database } = environment;
  const pool = new pg.Pool({ connectionString: database.kind === 'postgresql' ? database.migrationUrl : '' });
  const server = createServer((request, response) => {
    const title = new URL(request.url!, 'http://x').searchParams.get('title');
    pool.query(`select title from book where title = '${title}'`).then(
      ({ rows }) => response.end(JSON.stringify(rows)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.on('close', () => void pool.end());
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Returns the numbers of responses by status, from the metrics of the service. */
async function answersOf({ url }: ServiceProcess): Promise<Record<string, number>> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const counts: Record<string, number> = {};
  for (const [, labels, count] of metrics.matchAll(/^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)) {
    const status = /status="?(\d+)/.exec(labels!)![1]!;
    counts[status] = (counts[status] ?? 0) + Number(count);
  }
  return counts;
}
