import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { readEnvironment } from '../src/shared/env.js';
import { dockerfile, environmentOfImage } from './support/dockerfile.js';

/* docker-compose.yml against what Compose allows, what this file uses of it, and what the service reads. */

const source = readFileSync('docker-compose.yml', 'utf8');
const SECRETS = { JWT_SECRET: 'a secret that is only used by tests!!', POSTGRES_PASSWORD: 'correct-horse' };

const duration = z.string().regex(/^(\d+m)?(\d+s)?$/);
const image = z.string().regex(/^(care-scheduling|postgres:\d+)$/, 'must be pinned, or built here');
const healthcheck = z.union([
  z.strictObject({ disable: z.literal(true) }),
  z.strictObject({
    test: z.tuple([z.enum(['CMD', 'CMD-SHELL'])], z.string()),
    interval: duration,
    timeout: duration,
    retries: z.int().positive(),
  }),
]);
const service = z.strictObject({
  build: z.literal('.').optional(),
  image,
  command: z.array(z.string()).nonempty().optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string().regex(/^\/tmp:[\w=,]+$/)).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.literal('no-new-privileges:true')).optional(),
  pids_limit: z.int().positive().optional(),
  environment: z.record(z.string(), z.string()).optional(),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/, 'must be published to this machine alone')).optional(),
  volumes: z.array(z.string().regex(/^(\.|[a-z][a-z-]*):\/[\w/]+(:ro)?$/)).optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']) }),
    )
    .optional(),
  healthcheck: healthcheck.optional(),
  stop_grace_period: duration.optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional(),
});
const composeFile = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  services: z.record(z.string().regex(/^[a-zA-Z0-9._-]+$/), service),
  volumes: z.record(z.string(), z.null()),
});

const document = parse(source, { merge: true }) as Record<string, unknown>;
const { services, volumes } = composeFile.parse(document);
const instances = Object.entries(services).filter(([name]) => name.startsWith('service-'));
const ours = [...instances, ['migrate', services['migrate']!] as const];

/** As Compose fills `${NAME:?message}` in; this file uses no other form. */
const interpolate = (value: string) =>
  value.replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_, name) => SECRETS[name as keyof typeof SECRETS]);
const environmentOf = ({ environment = {} }: z.output<typeof service>) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolate(value)]));

it('has no key that Compose would refuse or ignore', () => {
  const unknown = Object.keys(document).filter((key) => !['name', 'services', 'volumes'].includes(key));
  expect(unknown.filter((key) => !key.startsWith('x-'))).toEqual([]);
});

it('runs PostgreSQL, one migration and two instances', () => {
  expect(Object.keys(services)).toEqual(['postgres', 'migrate', 'service-1', 'service-2']);
});

it.each(ours)('gives %s nothing that it does not need', (_, one) => {
  expect(one).toMatchObject({
    build: '.',
    image: 'care-scheduling',
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  expect(one.tmpfs!.map((mount) => mount.split(':')[0])).toEqual(['/tmp']);
  expect(one.volumes).toBeUndefined();
});

it('asks for the health of what stays, and of nothing that ends', () => {
  // The instances: by the HEALTHCHECK of the image.
  for (const [, instance] of instances) expect(instance.healthcheck).toBeUndefined();
  expect(dockerfile.some(({ keyword }) => keyword === 'HEALTHCHECK')).toBe(true);
  expect(services['migrate']!.healthcheck).toEqual({ disable: true });
});

it('refers to services and volumes that are there', () => {
  const named = Object.values(services).flatMap((one) => (one.volumes ?? []).map((volume) => volume.split(':')[0]!));
  expect(new Set(named.filter((name) => name !== '.'))).toEqual(new Set(Object.keys(volumes)));
  for (const one of Object.values(services))
    expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(one.depends_on ?? {})));
});

it('waits for what is healthy, and for what ends', () => {
  const conditions = Object.values(services).flatMap(({ depends_on: needs = {} }) => Object.entries(needs));
  for (const [name, { condition }] of conditions) {
    const runsOn = services[name]!.restart !== undefined;
    expect([name, condition]).toEqual([name, runsOn ? 'service_healthy' : 'service_completed_successfully']);
    if (runsOn) expect(services[name]!.healthcheck).toBeDefined();
  }
  for (const [, instance] of instances)
    expect(Object.keys(instance.depends_on!)).toEqual(expect.arrayContaining(['postgres', 'migrate']));
  expect(Object.keys(services['migrate']!.depends_on!)).toEqual(['postgres']);
});

describe.each(ours)('the environment of %s', (_, one) => {
  it('has only variables that the service reads', () => {
    const known = readFileSync('src/shared/env.ts', 'utf8').match(/^ {2}[A-Z][A-Z_]+(?=:)/gm)!;
    expect(known.map((line) => line.trim())).toEqual(expect.arrayContaining(Object.keys(one.environment!)));
  });

  it('starts the service', () => {
    const environment = readEnvironment({ ...environmentOfImage, ...environmentOf(one) });
    expect(environment).toMatchObject({
      port: 3000,
      database: { kind: 'postgresql', url: 'postgres://care:correct-horse@postgres:5432/care' },
      token: { key: { kind: 'secret', secret: SECRETS.JWT_SECRET } },
    });
    expect(environment.host).toBe('0.0.0.0');
  });
});

it('gives both instances one database and one secret, and each its own port', () => {
  const environments = instances.map(([, one]) => environmentOf(one));
  for (const variable of ['DATABASE_URL', 'JWT_SECRET'])
    expect(new Set(environments.map((environment) => environment[variable])).size).toBe(1);
  const published = instances.map(([, { ports }]) => ports![0]!.split(':')[1]!);
  expect(new Set(published).size).toBe(instances.length);
  for (const [index, environment] of environments.entries())
    expect(environment['PUBLIC_URL']).toBe(`http://localhost:${published[index]!}`);
});

it('connects to the database that PostgreSQL makes', () => {
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = environmentOf(services['postgres']!);
  const url = new URL(environmentOf(instances[0]![1])['DATABASE_URL']!);
  expect([url.username, url.password, url.hostname, url.pathname.slice(1)]).toEqual([
    POSTGRES_USER,
    POSTGRES_PASSWORD,
    'postgres',
    POSTGRES_DB,
  ]);
});

it('holds no secret, not even a default one', () => {
  const forms = [...source.matchAll(/\$\{?\w+[^}\n]*\}?/g)].map(([form]) => form);
  const uses = forms.filter((form) => form.startsWith('${'));
  expect(uses.length).toBeGreaterThan(0);
  for (const use of uses) expect(use).toMatch(/^\$\{\w+:\?[^}]+\}$/);
  for (const name of ['JWT_SECRET', 'POSTGRES_PASSWORD']) {
    const values = [...source.matchAll(new RegExp(`^ +${name}: (.*)$`, 'gm'))].map(([, value]) => value);
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expect(value).toMatch(new RegExp(`^\\$\\{${name}:\\?`));
  }
});

it('runs commands that the image has', () => {
  expect(services['migrate']!.command).toEqual(['node', 'dist/src/cli/migrate.js']);
  expect(() => readFileSync('src/cli/migrate.ts')).not.toThrow();
  for (const [, instance] of instances) expect(instance.command).toBeUndefined();
});
