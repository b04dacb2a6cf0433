import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testEnvironment } from '../../../test/support/app/test-environment.js';
import type { TokenEnvironment } from '../../shared/config/env.js';
import { getSigningSecret } from './signing-secret.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'secret-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const secretOf = (key: TokenEnvironment['key']) => getSigningSecret({ ...testEnvironment.token, key });
const generatedIn = (dataDir: string) => secretOf({ kind: 'generated', dataDir });
const modeOf = (path: string) => statSync(path).mode & 0o777;

it('is the one that is configured, and none where a key set verifies', () => {
  expect(secretOf({ kind: 'secret', secret: 'configured' })).toBe('configured');
  expect(secretOf({ kind: 'keySet', url: 'https://id.example.org/keys' })).toBeUndefined();
});

it('is generated once, for the eyes of the service alone', () => {
  const dataDir = join(directory, 'new', 'data');
  const secret = generatedIn(dataDir)!;
  expect(secret).toMatch(/^[\w-]{64}$/);
  expect(generatedIn(dataDir)).toBe(secret);
  expect(readFileSync(join(dataDir, 'jwt-secret'), 'utf8')).toBe(secret);
  expect([modeOf(dataDir), modeOf(join(dataDir, 'jwt-secret'))]).toEqual([0o700, 0o600]);
  expect(generatedIn(join(directory, 'other'))).not.toBe(secret);
});

it('is the one that lies there, without the line break of an editor', () => {
  writeFileSync(join(directory, 'jwt-secret'), `${'s'.repeat(32)}\n`);
  expect(generatedIn(directory)).toBe('s'.repeat(32));
});

it.each(['', '\n', `${'s'.repeat(31)}\n`])('is not %j, as of a disk that was full', (text) => {
  writeFileSync(join(directory, 'jwt-secret'), text);
  expect(() => generatedIn(directory)).toThrow(/jwt-secret must contain at least 32 bytes/);
});

it('is not made up where it cannot be kept', () => {
  mkdirSync(join(directory, 'jwt-secret'));
  expect(() => generatedIn(directory)).toThrow(/EISDIR/);
  writeFileSync(join(directory, 'file'), '');
  expect(() => generatedIn(join(directory, 'file'))).toThrow(/EEXIST|ENOTDIR/);
});

it('is one in memory, as long as a database there', () => {
  const secret = generatedIn('memory:one');
  expect(secret).toMatch(/^[\w-]{64}$/);
  expect(generatedIn('memory:two')).toBe(secret);
});
