import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { parse } from 'yaml';
import { z } from 'zod';
import '../../src/app.module.js';
import { listDeclaredVariables } from '../../src/shared/config/declared-variables.js';
import { readEnvironment } from '../../src/shared/config/env.js';
import { DATABASE_LOGINS, type LoginName } from '../../src/shared/persistence/index.js';
import { dockerfile, imageEnvironment } from '../support/operations/dockerfile.js';

/* Checks docker-compose.yml against the keys that Compose allows, and against the variables of the service. */

const source = readFileSync('docker-compose.yml', 'utf8');
const SECRETS = {
  JWT_SECRET: 'a secret that is only used by tests!!',
  POSTGRES_PASSWORD: 'correct-horse',
  OWNER_PASSWORD: 'owner',
  REQUESTS_PASSWORD: 'battery',
  REMINDERS_PASSWORD: 'staple',
  AUDIT_PASSWORD: 'horse',
  JOBS_PASSWORD: 'correct',
};

const duration = z.string().regex(/^(\d+m)?(\d+s)?$/);
const image = z
  .string()
  .regex(/^(care-scheduling|\w+:\d+\.\d+(\.\d+)?-\w+)$/, 'must be of an exact version, or built here');
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
  pids_limit: z.int().positive(),
  mem_limit: z.string().regex(/^\d+[mg]$/),
  deploy: z.strictObject({ replicas: z.int().min(2) }).optional(),
  configs: z.array(z.strictObject({ source: z.string(), target: z.string().startsWith('/') })).optional(),
  networks: z
    .union([z.array(z.string()), z.record(z.string(), z.strictObject({ ipv4_address: z.ipv4() }))])
    .transform((networks) => (Array.isArray(networks) ? networks : Object.keys(networks))),
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
const addressPool = z.strictObject({ subnet: z.cidrv4(), ip_range: z.cidrv4() });
const composeFile = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  services: z.record(z.string().regex(/^[a-zA-Z0-9._-]+$/), service),
  configs: z.record(
    z.string(),
    z.union([z.strictObject({ content: z.string() }), z.strictObject({ file: z.string() })]),
  ),
  networks: z.record(
    z.string(),
    z.strictObject({
      internal: z.literal(true).optional(),
      ipam: z.strictObject({ config: z.tuple([addressPool]) }).optional(),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

const document = parse(source, { merge: true }) as Record<string, unknown>;
const { services, volumes, configs, networks } = composeFile.parse(document);

function contentOf(name: string): string {
  const config = configs[name]!;
  return 'content' in config ? config.content : readFileSync(config.file, 'utf8');
}

const { ipv4_address: balancerAddress } = (
  document['services'] as { balancer: { networks: { front: { ipv4_address: string } } } }
).balancer.networks.front;

function isIn(range: string, address: string): boolean {
  const [first, bits] = range.split('/');
  const list = new BlockList();
  list.addSubnet(first!, Number(bits));
  return list.check(address);
}

const ours = (['service', 'migrate'] as const).map((name) => [name, services[name]!] as const);
const instance = services['service']!;

/** Replaces `${NAME:?message}` in the same way as Compose. The file uses no other form. */
const interpolate = (value: string) =>
  value.replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_, name) => SECRETS[name as keyof typeof SECRETS]);
const environmentOf = ({ environment = {} }: z.output<typeof service>) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolate(value)]));

it('has no keys that Compose refuses or ignores', () => {
  const unknown = Object.keys(document).filter(
    (key) => !['name', 'services', 'volumes', 'configs', 'networks'].includes(key),
  );
  expect(unknown.filter((key) => !key.startsWith('x-'))).toEqual([]);
});

it('runs PostgreSQL, one migration and several instances behind one port', () => {
  expect(Object.keys(services)).toEqual(['balancer', 'service', 'migrate', 'postgres']);
  expect(instance.deploy!.replicas).toBe(2);
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
  expect(published.map(([name, { ports }]) => [name, ports])).toEqual([['balancer', ['127.0.0.1:3000:8080']]]);
  expect(environmentOf(instance)['PUBLIC_URL']).toBe('http://localhost:3000');
});

it.each(ours)('gives %s no unnecessary privileges', (_, one) => {
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

it('has health checks for all services that keep running, and only for them', () => {
  // The instances use the HEALTHCHECK in the image.
  expect(instance.healthcheck).toBeUndefined();
  expect(dockerfile.some(({ keyword }) => keyword === 'HEALTHCHECK')).toBe(true);
  expect(services['migrate']!.healthcheck).toEqual({ disable: true });
});

it('refers to existing services and volumes', () => {
  const named = Object.values(services).flatMap((one) => (one.volumes ?? []).map((volume) => volume.split(':')[0]!));
  expect(new Set(named.filter((name) => name !== '.'))).toEqual(new Set(Object.keys(volumes)));
  const mounted = Object.values(services).flatMap((one) => (one.configs ?? []).map(({ source }) => source));
  expect(mounted.toSorted()).toEqual(Object.keys(configs).toSorted());
  const joined = Object.values(services).flatMap((one) => one.networks);
  expect(new Set(joined)).toEqual(new Set(Object.keys(networks)));
  for (const one of Object.values(services))
    expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(one.depends_on ?? {})));
});

it('waits until dependencies are healthy or have ended', () => {
  const conditions = Object.values(services).flatMap(({ depends_on: needs = {} }) => Object.entries(needs));
  for (const [name, { condition }] of conditions) {
    const runsOn = services[name]!.restart !== undefined;
    expect([name, condition]).toEqual([name, runsOn ? 'service_healthy' : 'service_completed_successfully']);
    if (runsOn && name !== 'service') expect(services[name]!.healthcheck).toBeDefined();
  }
  expect(Object.keys(instance.depends_on!)).toEqual(expect.arrayContaining(['postgres', 'migrate']));
  expect(Object.keys(services['migrate']!.depends_on!)).toEqual(['postgres']);
});

describe.each(ours)('the environment of %s', (_, one) => {
  it('contains only variables that the service reads', () => {
    const known = listDeclaredVariables().flatMap(({ shape }) => Object.keys(shape));
    expect(known).toEqual(expect.arrayContaining(Object.keys(one.environment!)));
  });

  it('starts the service', () => {
    const urlOf = (name: LoginName, password: string) =>
      `postgres://${DATABASE_LOGINS[name].role}:${password}@postgres:5432/care`;
    const environment = readEnvironment({ ...imageEnvironment, ...environmentOf(one) });
    expect(environment).toMatchObject({
      port: 3000,
      database: {
        kind: 'postgresql',
        url: urlOf('requests', SECRETS.REQUESTS_PASSWORD),
        logins: {
          reminders: urlOf('reminders', SECRETS.REMINDERS_PASSWORD),
          audit: urlOf('audit', SECRETS.AUDIT_PASSWORD),
          jobs: urlOf('jobs', SECRETS.JOBS_PASSWORD),
        },
      },
      token: { key: { kind: 'secret', secret: SECRETS.JWT_SECRET } },
    });
    expect(environment.host).toBe('0.0.0.0');
  });
});

describe('the accounts', () => {
  const accounts = contentOf('accounts');

  it('are the logins of the service and of its migrations', () => {
    const urls = [
      ...Object.values(DATABASE_LOGINS).map(({ variable }) => environmentOf(instance)[variable]!),
      environmentOf(services['migrate']!)['MIGRATION_DATABASE_URL']!,
    ];
    const names = urls
      .map((url) => new URL(url))
      .map(({ username, password, pathname }) => [username, password, pathname]);
    expect(names).toEqual([
      [DATABASE_LOGINS.requests.role, SECRETS.REQUESTS_PASSWORD, '/care'],
      [DATABASE_LOGINS.reminders.role, SECRETS.REMINDERS_PASSWORD, '/care'],
      [DATABASE_LOGINS.audit.role, SECRETS.AUDIT_PASSWORD, '/care'],
      [DATABASE_LOGINS.jobs.role, SECRETS.JOBS_PASSWORD, '/care'],
      ['care_owner', SECRETS.OWNER_PASSWORD, '/care'],
    ]);
    for (const [name] of names) expect(accounts).toMatch(new RegExp(`^create role ${name} login`, 'm'));
    expect(environmentOf(services['postgres']!)).toMatchObject({ POSTGRES_USER: 'postgres', POSTGRES_DB: 'care' });
  });

  it('are not superusers, and the service owns no tables', () => {
    expect(accounts).not.toMatch(/\bsuperuser\b/);
    expect(accounts).not.toMatch(/owner to scheduling_app/);
    expect(environmentOf(instance)['MIGRATION_DATABASE_URL']).toBeUndefined();
    for (const [, name, variable] of accounts.matchAll(/getenv (\w+) (\w+)/g)) {
      expect(accounts).toContain(`:'${name}'`);
      expect(Object.keys(services['postgres']!.environment!)).toContain(variable);
    }
  });
});

it('sends requests to ready instances only, and does not expose metrics', () => {
  const content = contentOf('balancer');
  expect(content).toContain('option httpchk GET /health/ready');
  expect(content).toContain('timeout check 2s');
  expect(content).toMatch(/server-template \w+ \d+ service:3000/);
  expect(content).toMatch(/return status 404 .*\/metrics/);
  expect(environmentOf(instance)['TRUSTED_PROXIES']).toBe(balancerAddress);
});

it('gives no other container the address of the balancer, which starts after the instances', () => {
  const { subnet, ip_range: assigned } = networks['front']!.ipam!.config[0];
  expect(isIn(subnet, balancerAddress)).toBe(true);
  expect(isIn(assigned, balancerAddress)).toBe(false);
  expect(isIn(subnet, assigned.split('/')[0]!)).toBe(true);
});

it('contains no secrets and no default passwords', () => {
  const forms = [...source.matchAll(/\$\{?\w+[^}\n]*\}?/g)].map(([form]) => form);
  const uses = forms.filter((form) => form.startsWith('${'));
  expect(uses.length).toBeGreaterThan(0);
  for (const use of uses) expect(use).toMatch(/^\$\{\w+:\?[^}]+\}$/);
  for (const name of Object.keys(SECRETS)) {
    const values = [...source.matchAll(new RegExp(`^ +${name}: (.*)$`, 'gm'))].map(([, value]) => value);
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expect(value).toMatch(new RegExp(`^\\$\\{${name}:\\?`));
  }
});

it('runs only commands of the image', () => {
  expect(services['migrate']!.command).toEqual(['node', 'dist/src/cli/migrate.js']);
  expect(() => readFileSync('src/cli/migrate.ts')).not.toThrow();
  expect(instance.command).toBeUndefined();
});
