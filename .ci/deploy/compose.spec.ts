import { Ajv } from 'ajv';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import '../../src/ops/metrics/metrics-environment.js';
import '../../src/reminder/channel/email/email.channel.js';
import { listDeclaredVariables } from '../../src/shared/config/declared-variables.js';
import { keyStoreDirectory } from '../../test/support/operations/dockerfile.js';

/*
 * Checks the Compose files against the schema of the Compose specification, and resolves them with Docker Compose where it
 * is installed. No test runs their containers: that needs Docker.
 */

type Service = {
  image?: string;
  ports?: unknown[];
  environment?: Record<string, string>;
  read_only?: boolean;
  configs?: { source: string }[];
  secrets?: string[];
  volumes?: string[];
  networks?: string[] | object;
};
type ComposeFile = {
  services: Record<string, Service>;
  configs: Record<string, { file?: string }>;
  secrets: Record<string, { file?: string }>;
  volumes: object;
  networks: object;
};

const SCHEMA = JSON.parse(readFileSync('test/fixtures/compose-spec/compose-spec.json', 'utf8')) as object;
const read = (file: string) => parse(readFileSync(file, 'utf8'), { merge: true }) as ComposeFile;
const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile({
  ...SCHEMA,
  // Ajv knows this meta-schema by its older address.
  $schema: 'http://json-schema.org/draft-07/schema#',
});

const base = read('docker-compose.yml');
const overlay = read('docker-compose.full.yml');
const encryption = read('docker-compose.encryption.yml');
const FILES = ['docker-compose.yml', 'docker-compose.full.yml', 'docker-compose.encryption.yml'];

it.each(FILES)('%s follows the specification', (file) => {
  validate(read(file));
  expect(validate.errors).toBeNull();
});

it('the schema refuses a misspelt key', () => {
  expect(validate({ services: { a: { image: 'a', enviroment: {} } } })).toBe(false);
});

it('the overlay refers only to configs, networks and files that exist', () => {
  const configs = { ...base.configs, ...overlay.configs };
  const networks = Object.keys({ ...base.networks, ...overlay.networks });
  for (const service of Object.values(overlay.services)) {
    for (const { source } of service.configs ?? []) expect(Object.keys(configs)).toContain(source);
    for (const name of (service.networks as string[] | undefined) ?? []) expect(networks).toContain(name);
  }
  for (const { file } of Object.values(configs)) if (file !== undefined) expect(existsSync(file)).toBe(true);
});

it('the overlay gives the service variables that it knows', () => {
  const known = listDeclaredVariables().flatMap(({ shape }) => Object.keys(shape));
  const names = Object.keys(overlay.services['service']!.environment!);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

it.each(['service', 'migrate'])('the overlay lets %s find the replica after it was promoted', (name) => {
  const addresses = Object.entries(base.services[name]!.environment!).filter(([, value]) =>
    value.includes('@postgres:'),
  );
  expect(addresses.length).toBeGreaterThan(3);
  const { environment } = overlay.services[name]!;
  for (const [variable, address] of addresses)
    expect([variable, environment![variable]]).toEqual([
      variable,
      address.replace(/@.*/, '@postgres:5432,replica:5432/care?target_session_attrs=read-write'),
    ]);
  expect(environment!['PLAINTEXT_HOSTS']!.split(',')).toEqual(expect.arrayContaining(['postgres', 'replica']));
});

it('a service with a read-only file system has configs and secrets in files only, as Compose cannot copy others into it', () => {
  const readOnly = [base, overlay]
    .flatMap(({ services }) => Object.entries(services))
    .filter(([, service]) => service.read_only === true);
  expect(readOnly.map(([name]) => name)).toEqual(['balancer', 'service', 'migrate', 'mail', 'prometheus', 'grafana']);
  const names = readOnly.map(([name]) => name);
  const files = { ...base.configs, ...overlay.configs, ...encryption.secrets };
  const used = [base, overlay, encryption]
    .flatMap(({ services }) => Object.entries(services))
    .filter(([name]) => names.includes(name))
    .flatMap(([, { configs = [], secrets = [] }]) => [...configs.map(({ source }) => source), ...secrets]);
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => files[name]!.file === undefined)).toEqual([]);
});

describe('docker-compose.encryption.yml', () => {
  it('gives the instances, and nothing else, the key ring and a key store that they share', () => {
    expect(Object.keys(encryption.services)).toEqual(['service']);
    const { environment, secrets, volumes } = encryption.services['service']!;
    expect(environment).toEqual({
      ENCRYPTION: 'on',
      ENCRYPTION_KEYS_FILE: `/run/secrets/${secrets![0]}`,
      ENCRYPTION_KEY_DIRECTORY: keyStoreDirectory.path,
    });
    expect([secrets, Object.keys(encryption.secrets)]).toEqual([['encryption-keys'], ['encryption-keys']]);
    expect(volumes).toEqual([`key-store:${keyStoreDirectory.path}`]);
    // It is not the volume of a database.
    expect(Object.keys(encryption.volumes)).toEqual(['key-store']);
    expect(Object.keys({ ...base.volumes, ...overlay.volumes })).not.toContain('key-store');
  });

  it('has no default for the key ring', () => {
    expect(encryption.secrets['encryption-keys']!.file).toMatch(/^\$\{ENCRYPTION_KEYS_FILE:\?[^}]+\}$/);
  });
});

const composeCommand = findCompose();
if (composeCommand === undefined)
  process.stdout.write('Skipped: Docker Compose is not installed (Debian: apt-get install docker-compose).\n');

function findCompose(): readonly string[] | undefined {
  return [['docker', 'compose'], ['docker-compose']].find(
    ([program, ...words]) => spawnSync(program!, [...words, 'version']).status === 0,
  );
}

(composeCommand === undefined ? describe.skip : describe)('docker compose config', () => {
  const variables = Object.fromEntries(
    FILES.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => [name!, `/${name}`]),
    ),
  );

  function resolve(files: readonly string[], environment = variables) {
    const [program, ...words] = composeCommand!;
    const names = files.flatMap((file) => ['--file', file]);
    const options = {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    } as const;
    return spawnSync(program!, [...words, ...names, 'config', '--format', 'json'], options);
  }

  it.each([
    [[FILES[0]!]],
    [[FILES[0]!, FILES[1]!]],
    [[FILES[0]!, FILES[2]!]],
    [FILES],
    [[FILES[0]!, FILES[2]!, FILES[1]!]],
  ])('accepts %j', (files) => {
    const { status, stdout, stderr } = resolve(files);
    expect([status, stderr]).toEqual([0, '']);
    const { services } = JSON.parse(stdout) as { services: Record<string, Service> };
    const isEncrypted = files.includes('docker-compose.encryption.yml');
    expect(services['service']!.environment!['ENCRYPTION']).toBe(isEncrypted ? 'on' : 'off');
    expect(services['migrate']!.environment).not.toHaveProperty('ENCRYPTION_KEYS_FILE');
  });

  it('requires the file with the key ring', () => {
    const { ENCRYPTION_KEYS_FILE: _, ...others } = variables;
    const { status, stderr } = resolve([FILES[0]!, FILES[2]!], others);
    expect([status, stderr]).toEqual([expect.any(Number), expect.stringContaining('set ENCRYPTION_KEYS_FILE')]);
    expect(status).not.toBe(0);
  });
});

it('the overlay pins versions, publishes ports on this machine only, and has no secret and no default password', () => {
  const source = readFileSync('docker-compose.full.yml', 'utf8');
  const services = Object.values(overlay.services);
  const images = services.flatMap(({ image = [] }) => image);
  expect(images.length).toBeGreaterThan(3);
  for (const image of images) expect(image).toMatch(/^[\w/]+:v?\d+\.\d+(\.\d+)?(-\w+)?$/);
  const ports = services.flatMap(({ ports: own = [] }) => own);
  expect(ports.length).toBeGreaterThan(0);
  for (const port of ports) expect(String(port)).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  const variables = services.flatMap(({ environment = {} }) => Object.entries(environment));
  const passwords = variables.filter(([name]) => /PASSWORD|SECRET|TOKEN/.test(name));
  expect(passwords.length).toBeGreaterThan(2);
  for (const variable of passwords) expect(variable).toEqual([variable[0], expect.stringMatching(/^\$\{\w+:\?/)]);
  const addresses = variables.filter(([, value]) => /:\/\/[^/]*@/.test(value));
  expect(addresses.length).toBeGreaterThan(4);
  for (const [name, value] of addresses)
    expect([name, value]).toEqual([name, expect.stringMatching(/:\/\/\w+:\$\{\w+:\?[^}]+\}@/)]);
  const uses = [...source.matchAll(/(?<!\$)\$\{?\w+[^}\n]*\}?/g)]
    .map(([use]) => use)
    .filter((use) => use.startsWith('${'));
  expect(uses.length).toBeGreaterThan(3);
  for (const use of uses) expect(use).toMatch(/^\$\{\w+:\?[^}]+\}$/);
});
