import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DemonstrationDirectory } from '../../src/directory/index.js';
import type { Role } from '../../src/shared/access/index.js';
import type { OpenApiDocument } from '../support/contract/openapi-document.js';
import { expandReferences } from '../support/contract/read-openapi.js';
import { ResponseContract } from '../support/contract/response-contract.js';
import { TestApp } from '../support/app/test-app.js';

/* Tests the OpenAPI document with linters and code generators, and for human readers. */

const run = promisify(execFile);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  example?: unknown;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
};
type Media = { schema: Schema; example?: unknown; examples?: Record<string, { summary: string; value: unknown }> };
type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  'x-required-role'?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media>; headers?: object }>;
};
type Described = Operation & { method: string; path: string };

let app: TestApp;
let directory: string;
type Document = {
  openapi: string;
  info: object;
  tags: { name: string; description?: string }[];
  'x-tagGroups': { name: string; tags: string[] }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, { description: string }> };
};

let served: Document;
let size: number;
/** The served document with all references expanded. */
let document: Document;
let operations: Described[];

beforeAll(async () => {
  app = await TestApp.start();
  // Adds the demonstration records, whose IDs the examples use. The embedded database already contains them.
  await app.asSuperuser(() => app.nest.get(DemonstrationDirectory).seedIfEmpty());
  const answer = await app.call('GET', '/openapi.json');
  served = answer.body as Document;
  size = Buffer.byteLength(answer.text);
  document = expandReferences(answer.body as OpenApiDocument) as unknown as Document;
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ ...item[method], method, path }] : [])),
  );
  // The directory is below node_modules, so that the generated client finds its dependencies and nothing is left in the
  // checkout.
  mkdirSync('node_modules/.cache', { recursive: true });
  directory = mkdtempSync('node_modules/.cache/openapi-');
  writeFileSync(join(directory, 'openapi.json'), JSON.stringify(served));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await app.stop();
});

const titleOf = ({ method, path }: Described) => `${method.toUpperCase()} ${path}`;
const propertiesOf = (schema: string) => document.components.schemas[schema]!.properties!;
const tokenFor = (path: string) => {
  const roles: [string, Role, number?][] = [
    ['/gateway/admin/', 'ADMIN'],
    ['/gateway/profile/caregiver/', 'CARE_PROVIDER', 1],
    ['/gateway/profile/client/', 'CLIENT', 1],
    ['/', 'CLINIC', 1],
  ];
  const [, role, id] = roles.find(([prefix]) => path.startsWith(prefix))!;
  return app.createToken(role, id);
};
/**
 * Returns the path of an operation, filled with the examples of its parameters. For Books, uses one that belongs to the
 * Clinic.
 */
const filled = ({ path, parameters = [] }: Described) =>
  path
    .replace('/clinic/book/{id}', '/clinic/book/7')
    .replaceAll(/\{(\w+)\}/g, (_, name) => String(parameters.find((one) => one.name === name)!.schema.example));

/**
 * Returns the path for calling an operation. Sessions and series are created for each call, because most operations on
 * them cannot be repeated.
 */
async function targetOf(operation: Described): Promise<string> {
  if (operation.path.endsWith('/erasure/{erasureId}')) {
    const list = filled(operation).replace(/\/\d+$/, '');
    const token = await tokenFor(operation.path);
    // 409 if an earlier example has requested it.
    await app.call('POST', list, { token, body: { reason: 'SUBJECT_REQUEST' } });
    return `${list}/${(await app.call('GET', list, { token })).body.items[0].id}`;
  }
  if (!/\/(session|series)\/\{|\/apply$/.test(operation.path)) return filled(operation);
  const [clinic, careProvider] = [await app.createToken('CLINIC', 1), await app.createToken('CARE_PROVIDER', 1)];
  const body = { planName: 'To apply', weeks: [{ assignments: [{ bookId: 1 }] }, {}] };
  const path = '/gateway/profile/clinic/design-plan';
  const id = (await app.call('POST', path, { token: clinic, body })).headers.get('location')!.split('/').at(-1)!;
  if (operation.path.endsWith('/apply')) return operation.path.replace('{id}', id);
  const applied = await app.call('POST', `/gateway/profile/caregiver/design-plan/${id}/apply`, {
    token: careProvider,
    body: { clientId: 1, date: '2027/03/22', time: '09:30' },
  });
  // Creates a newer revision of the plan, which the operation then applies.
  const replacement = { token: clinic, body: { ...body, planName: 'To revise' }, headers: { 'if-match': '"1"' } };
  await app.call('PUT', `${path}/${id}`, replacement);
  const { seriesId, sessions } = applied.body as { seriesId: string; sessions: [{ id: number }] };
  return operation.path.replace('{seriesId}', seriesId).replace('{id}', String(sessions[0].id));
}

describe('for a linter', () => {
  it('passes the rules of Spectral without a warning', async () => {
    const cli = 'node_modules/@stoplight/spectral-cli/dist/index.js';
    const { stdout } = await run(process.execPath, [
      cli,
      ...['lint', join(directory, 'openapi.json'), '--ruleset', '.spectral.yaml', '--fail-severity', 'warn'],
    ]).catch((error: unknown) => error as { stdout: string });
    expect(stdout).toMatch(/^No results with a severity of 'warn' or higher found!/);
  });
});

/** An operation ID must begin with one of these verbs. Add a new verb only if none of these has the same meaning. */
const VERBS = [
  ...['list', 'get', 'create', 'put', 'change', 'replace', 'import', 'export', 'deactivate', 'archive', 'restore'],
  ...['clone', 'compare', 'assign', 'unassign', 'reassign', 'apply', 'cancel', 'complete', 'mark', 'undo', 'reopen'],
  ...['pause', 'resume', 'shift', 'skip', 'revise', 'redrive', 'revoke', 'confirm', 'check'],
  ...['renew', 'rotate', 'delete'],
];
const ROLE_SUFFIXES: Record<string, string> = {
  ...{ CLINIC: 'AsClinic', CLIENT: 'AsClient', ADMIN: 'AsAdmin' },
};

describe('for a person', () => {
  it('is OpenAPI 3.1, and names no contact or licence that does not exist', () => {
    expect(served.openapi).toBe('3.1.0');
    expect(Object.keys(served.info).sort()).toEqual(['description', 'title', 'version']);
  });

  it('has at most 250,000 bytes, and at most 1,488 for each operation', () => {
    process.stdout.write(`The OpenAPI document has ${size} bytes and ${operations.length} operations\n`);
    expect(size).toBeLessThanOrEqual(250_000);
    expect(size / operations.length).toBeLessThanOrEqual(1_488);
  });

  it('names and describes every operation', () => {
    for (const operation of operations) {
      expect([titleOf(operation), operation.summary]).toEqual([titleOf(operation), expect.stringMatching(/^[A-Z]/)]);
      expect(operation.description).toMatch(/\S/);
      expect(operation.tags).toHaveLength(1);
    }
  });

  it('names every operation by a verb and its object, and by its role if others have the same', () => {
    const name = new RegExp(`^(${VERBS.join('|')})[A-Z][A-Za-z]+$`);
    for (const { operationId, 'x-required-role': role, ...operation } of operations) {
      expect([titleOf(operation as Described), operationId]).toEqual([
        titleOf(operation as Described),
        expect.stringMatching(name),
      ]);
      const suffix = Object.values(ROLE_SUFFIXES).find((one) => operationId.endsWith(one));
      // Only operations that several roles have in common name their role, and the Care Provider's operation keeps the
      // short name.
      expect([operationId, [undefined, ROLE_SUFFIXES[role ?? '']].includes(suffix)]).toEqual([operationId, true]);
      const twins = operations.filter(
        (one) => one.operationId.replace(/As[A-Z]\w+$/, '') === operationId.replace(/As[A-Z]\w+$/, ''),
      );
      expect([operationId, suffix !== undefined]).toEqual([operationId, twins.length > 1 && role !== 'CARE_PROVIDER']);
      expect(operationId).not.toMatch(/Controller|Service|OfClinic/);
    }
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it('says which role may call an operation: in the description, the tag, the groups of tags and an extension', () => {
    const names = { CLINIC: 'Clinic', CARE_PROVIDER: 'Care Provider', CLIENT: 'Client', ADMIN: 'Administrator' };
    for (const operation of operations) {
      const { 'x-required-role': role, security, description, tags } = operation;
      const group = role === undefined ? 'Without a token' : names[role as keyof typeof names];
      expect([titleOf(operation), security === undefined]).toEqual([titleOf(operation), role === undefined]);
      expect(description).toContain(role === undefined ? 'No token is needed.' : `Role: **${group}**.`);
      expect(tags![0]).toMatch(new RegExp(`^${group}: `));
      expect(served['x-tagGroups'].find(({ name }) => name === group)!.tags).toContain(tags![0]);
      expect(served.tags.map(({ name }) => name)).toContain(tags![0]);
    }
  });

  it('uses no internal terms', () => {
    const words = /.{30}(extension:|spelling|spelt|the house|chapter|"story").{30}/gi;
    expect(JSON.stringify(served).match(words)).toBeNull();
  });

  it('lists the errors of every operation, each with an example', () => {
    for (const operation of operations) {
      const { responses, security, requestBody, parameters = [] } = operation;
      const expected = [
        ...(security ? ['401', '403'] : []),
        ...(requestBody ? ['400', '413', '415'] : []),
        ...(parameters.some((parameter) => parameter.in !== 'header') ? ['400'] : []),
        ...['429', '500', '503'],
      ];
      expect([titleOf(operation), Object.keys(responses)]).toEqual([
        titleOf(operation),
        expect.arrayContaining(expected),
      ]);
      expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true);
      for (const [status, response] of Object.entries(responses)) {
        expect(response.description).not.toBe('');
        if (/^[23]/.test(status)) continue;
        const media = response.content!['application/problem+json']!;
        expect(media.schema).toEqual({ $ref: '#/components/schemas/Problem' });
        const isGeneral = response.description.startsWith('Any other error');
        const shown = isGeneral ? 429 : Number(status);
        expect(media.example).toMatchObject({ status: shown, type: expect.stringMatching(/^urn:problem:/) });
      }
    }
  });

  it('describes in one place the errors that most operations have', () => {
    const { responses } = served.components;
    expect(responses['Error']!.description.match(/(?<=^- )\d+/gm)).toEqual([
      ...['400', '401', '403', '404', '409', '410', '412', '413', '415', '422', '428', '429', '500', '503'],
    ]);
  });

  it('documents the idempotency key for every POST of a caller, and for nothing else', () => {
    for (const operation of operations) {
      const { method, security, responses, parameters = [] } = operation;
      const isOnce = method === 'post' && security !== undefined;
      const keys = parameters.filter(({ name }) => name === 'Idempotency-Key');
      expect([titleOf(operation), keys.map((key) => [key.in, key.required ?? false])]).toEqual([
        titleOf(operation),
        isOnce ? [['header', false]] : [],
      ]);
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        expect('Idempotent-Replayed' in headers).toBe(isOnce && status.startsWith('2'));
      }
      if (!isOnce) continue;
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '409', '422']));
      for (const error of ['400: ', '409 (`urn:', '422 (`urn:']) expect(keys[0]!.description).toContain(error);
    }
  });

  it('has an example for every request', () => {
    const media = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
    expect(media.filter(({ example, examples }) => example === undefined && examples === undefined)).toEqual([]);
  });

  it('describes ids and instants once, and their fields beside the reference', () => {
    const inline: string[] = [];
    const walk = (value: unknown, at: string) => {
      if (typeof value !== 'object' || value === null) return;
      const { type, format, minimum, example } = value as Schema & { format?: string; minimum?: number };
      const isInstant = type === 'string' && format === undefined && /^\d{4}-\d\d-\d\dT.*Z$/.test(String(example));
      if ((type === 'integer' && format === 'int64' && minimum === 1) || isInstant) inline.push(at);
      for (const [name, part] of Object.entries(value)) walk(part, `${at}/${name}`);
    };
    walk(served.components.schemas, '');
    expect(inline).toEqual(['/Id', '/Instant']);
    expect(served.components.schemas['SeriesBase']!.properties!['caregiverId']).toEqual({
      $ref: '#/components/schemas/Id',
      description: 'The Care Provider of Sessions that a revision adds. Changes with a reassignment.',
    });
  });

  it('describes every field of every schema, with an example', () => {
    const bare: string[] = [];
    const walk = (schema: Schema, at: string, isField: boolean) => {
      if (schema.$ref) return;
      const parts = Object.entries(schema.properties ?? {});
      const shown = schema.example !== undefined || schema.enum || schema.items || parts.length > 0;
      if (isField && (!schema.description || !shown)) bare.push(at);
      for (const [name, property] of parts) walk(property, `${at}.${name}`, true);
      if (schema.items) walk(schema.items, `${at}[]`, schema.items.type !== 'object');
      const { allOf = [], anyOf = [], oneOf = [] } = schema;
      for (const part of [...allOf, ...anyOf, ...oneOf]) walk(part, at, false);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect([name, schema.description]).toEqual([name, expect.stringMatching(/\S/)]);
      walk(schema, name, false);
    }
    // The description of a list also covers its items.
    expect(bare.filter((at) => !at.endsWith('[]'))).toEqual([]);
  });

  it('describes every parameter with its actual type, and has examples only for required ones', () => {
    const parameters = operations.flatMap((operation) => operation.parameters ?? []);
    expect(parameters.filter(({ description }) => !description)).toEqual([]);
    for (const { name, required = false, schema, description } of parameters) {
      // For an optional parameter, the test has read the example from the description, so it is not prefilled.
      const isFilledIn = schema.example !== undefined && !description!.includes('For example `');
      expect([name, isFilledIn]).toEqual([name, required]);
    }
    for (const name of ['cursor', 'Idempotency-Key'])
      expect(parameters.filter((one) => one.name === name && one.schema.example !== undefined)).toEqual([]);
    const typesOf = (name: string) => [
      ...new Set(parameters.filter((one) => one.name === name).map((one) => one.schema.type)),
    ];
    expect(
      Object.fromEntries(['limit', 'cursor', 'active', 'id', 'offset'].map((name) => [name, typesOf(name)])),
    ).toEqual({
      limit: ['integer'],
      cursor: ['string'],
      active: ['boolean'],
      id: ['integer'],
      offset: ['integer'],
    });
  });

  it('documents both spellings, and requires neither of them', () => {
    expect(Object.keys(propertiesOf('CreateDesignPlan'))).toEqual(
      expect.arrayContaining(['planName', 'name', 'createdDate', 'createDate']),
    );
    expect(document.components.schemas['CreateDesignPlan']!.required ?? []).toEqual([]);
    expect(Object.keys(propertiesOf('CreateSessions'))).toEqual(
      expect.arrayContaining(['caregiverId', 'CareProviderId', 'title', 'Title']),
    );
    expect(document.components.schemas['CreateSessions']!.required!.toSorted()).toEqual(['clientId', 'date', 'time']);
  });
});

describe('for a reader who tries the examples', () => {
  const requestsOf = ({ requestBody }: Described) =>
    Object.entries(requestBody?.content ?? {}).flatMap(([type, { example, examples }]) =>
      (examples ? Object.values(examples).map(({ value }) => value) : [example]).map((body) => ({ type, body })),
    );

  // PUT may respond with 200 or 204, because its examples use the external ID of records that the examples of POST have
  // created.
  const EXPECTED: Record<string, number[]> = { post: [200, 201], put: [200, 201, 204], patch: [200] };

  it('accepts every example of a request unchanged', async () => {
    const outcomes: unknown[] = [];
    for (const operation of operations.filter(({ requestBody }) => requestBody)) {
      for (const { type, body } of requestsOf(operation)) {
        const token = await tokenFor(operation.path);
        const path = await targetOf(operation);
        // A change that requires a version uses the version that a read returns.
        const tag = (await app.call('GET', path, { token })).headers.get('etag');
        const headers = { 'content-type': type, ...(tag === null ? {} : { 'if-match': tag }) };
        const answer = await app.call(operation.method.toUpperCase(), path, { token, body, headers });
        // An import responds with 200 even if its only line is refused, so the result of the line is checked.
        if (!EXPECTED[operation.method]!.includes(answer.status) || answer.text.includes('"refused"'))
          outcomes.push([titleOf(operation), answer.status, answer.text]);
      }
    }
    expect(outcomes).toEqual([]);
  });

  it('has at least three examples of each of the two operations of the specification', () => {
    const counts = ['/gateway/profile/clinic/design-plan', '/gateway/profile/caregiver/session'].map(
      (path) => requestsOf({ ...document.paths[path]!['post']!, method: 'post', path }).length,
    );
    expect(counts).toEqual([3, 3]);
  });

  it('returns responses as documented, without undocumented fields', async () => {
    const contract = new ResponseContract(document);
    const wrong: unknown[] = [];
    for (const operation of operations.filter(({ method }) => method === 'get')) {
      if (!operation.responses['200']!.content?.['application/json']) continue;
      const answer = await app.call('GET', await targetOf(operation), { token: await tokenFor(operation.path) });
      const complaints = contract.findViolations('GET', operation.path, answer);
      if (answer.status !== 200 || complaints.length > 0)
        wrong.push([titleOf(operation), answer.status, ...complaints]);
    }
    expect(wrong).toEqual([]);
  });
});

const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const [baseUrl, clinicToken, careProviderToken] = process.argv.slice(2) as [string, string, string];
const clinic = createClient<paths>({ baseUrl, headers: { authorization: \`bearer \${clinicToken}\` } });
const careProvider = createClient<paths>({ baseUrl, headers: { authorization: \`bearer \${careProviderToken}\` } });

const plan = await clinic.POST('/gateway/profile/clinic/design-plan', {
  params: { header: { offset: 60 } },
  body: { planName: 'Typed', appointmentTitle: 'From the plan', weeks: [{ assignments: [{ bookId: 1 }] }] },
});
const id = Number(plan.response.headers.get('location')!.split('/').at(-1));
const stored = await clinic.GET('/design-plan/{id}', { params: { path: { id } } });
const planName: string = stored.data!.planName;

const sessions = await careProvider.POST('/gateway/profile/caregiver/session', {
  body: { clientId: 1, date: '2027/03/22', time: '09:30', sessionCount: 2, bookIdList: [1], designPlanId: id },
});
const message: string = sessions.data!.message;
const location = new URL(sessions.response.headers.get('location')!, baseUrl);
const list = await careProvider.GET('/gateway/profile/caregiver/session', {
  params: { query: { seriesId: [location.searchParams.get('seriesId')!], limit: 10 } },
});
const titles: string[] = list.data!.items.map((session) => session.title);

// @ts-expect-error -- an id is a number
const failed = await clinic.GET('/design-plan/{id}', { params: { path: { id: 'x' } } });
const problem: { status: number; errors?: { pointer: string }[] } = failed.error!;

// @ts-expect-error -- there is no such path
void (() => clinic.GET('/no/such/path'));

console.log(JSON.stringify({ planName, message, titles, problem: problem.status }));
`;

describe('for a code generator', () => {
  it('generates a typed client that compiles and calls both operations', async () => {
    writeFileSync(join(directory, 'client.mts'), CLIENT.replace('./schema.js', './schema.mjs'));
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          ...{ target: 'es2024', module: 'nodenext', strict: true, types: ['node'], skipLibCheck: true },
          ...{ outDir: 'out', rootDir: '.' },
        },
        files: ['client.mts'],
      }),
    );
    const generator = 'node_modules/openapi-typescript/bin/cli.js';
    await node(generator, join(directory, 'openapi.json'), '-o', join(directory, 'schema.mts'));
    await node('node_modules/typescript/bin/tsc', '-p', directory);
    const tokens = await Promise.all([app.createToken('CLINIC', 1), app.createToken('CARE_PROVIDER', 1)]);
    const output = await node(join(directory, 'out/client.mjs'), app.url, ...tokens);
    expect(JSON.parse(output)).toEqual({
      planName: 'Typed',
      message: expect.stringMatching(/^2 Sessions were created/),
      titles: ['From the plan', 'From the plan'],
      problem: 400,
    });
  });

  async function node(...args: string[]): Promise<string> {
    const result = await run(process.execPath, args).catch(
      (error: unknown) => error as { stdout: string; stderr: string },
    );
    if (result instanceof Error) throw new Error(`${args[0]!}: ${result.stdout}${result.stderr}`);
    return result.stdout;
  }
});
