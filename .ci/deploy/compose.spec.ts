import { Ajv } from 'ajv';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import '../../src/ops/metrics/metrics-environment.js';
import '../../src/reminder/channel/email/email.channel.js';
import { listDeclaredVariables } from '../../src/shared/config/declared-variables.js';

/* Checks the Compose files against the schema of the Compose specification. No test runs them: that needs Docker. */

type Service = { environment?: Record<string, string>; configs?: { source: string }[]; networks?: string[] | object };
type ComposeFile = {
  services: Record<string, Service>;
  configs: Record<string, { file?: string }>;
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

it.each(['docker-compose.yml', 'docker-compose.full.yml'])('%s follows the specification', (file) => {
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
  for (const { file } of Object.values(overlay.configs)) if (file !== undefined) expect(existsSync(file)).toBe(true);
});

it('the overlay gives the service variables that it knows', () => {
  const known = listDeclaredVariables().flatMap(({ shape }) => Object.keys(shape));
  const names = Object.keys(overlay.services['service']!.environment!);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

it('the overlay pins versions, publishes ports on this machine only, and has no secret and no default password', () => {
  const source = readFileSync('docker-compose.full.yml', 'utf8');
  for (const [, image] of source.matchAll(/^ +image: (.*)$/gm))
    expect(image).toMatch(/^[\w/]+:v?\d+\.\d+(\.\d+)?(-\w+)?$/);
  for (const [, port] of source.matchAll(/^ +- ([\d.:]+:\d+)$/gm)) expect(port).toMatch(/^127\.0\.0\.1:/);
  const uses = [...source.matchAll(/(?<!\$)\$\{?\w+[^}\n]*\}?/g)]
    .map(([use]) => use)
    .filter((use) => use.startsWith('${'));
  expect(uses.length).toBeGreaterThan(3);
  for (const use of uses) expect(use).toMatch(/^\$\{\w+:\?[^}]+\}$/);
});
