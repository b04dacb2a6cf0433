import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testEnvironment } from '../../../test/support/app/test-environment.js';
import type { TokenEnvironment } from '../../shared/config/env.js';
import { getOrCreateSigningSecret } from './signing-secret.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'secret-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const secretOf = (key: TokenEnvironment['key']) => getOrCreateSigningSecret({ ...testEnvironment.token, key });
const generatedIn = (dataDir: string) => secretOf({ kind: 'generated', dataDir });
const modeOf = (path: string) => statSync(path).mode & 0o777;

it('is the configured secret, or undefined with a key set', () => {
  expect(secretOf({ kind: 'secret', secret: 'configured' })).toBe('configured');
  expect(secretOf({ kind: 'keySet', url: 'https://id.example.org/keys' })).toBeUndefined();
});

it('is generated once, in a file that only its owner can read', () => {
  const dataDir = join(directory, 'new', 'data');
  const secret = generatedIn(dataDir)!;
  expect(secret).toMatch(/^[\w-]{64}$/);
  expect(generatedIn(dataDir)).toBe(secret);
  expect(readFileSync(join(dataDir, 'jwt-secret'), 'utf8')).toBe(secret);
  expect([modeOf(dataDir), modeOf(join(dataDir, 'jwt-secret'))]).toEqual([0o700, 0o600]);
  expect(generatedIn(join(directory, 'other'))).not.toBe(secret);
});

it('is read from an existing file without a final newline', () => {
  writeFileSync(join(directory, 'jwt-secret'), `${'s'.repeat(32)}\n`);
  expect(generatedIn(directory)).toBe('s'.repeat(32));
});

it.each(['', '\n', `${'s'.repeat(31)}\n`])('rejects a file with too short a secret: %j', (text) => {
  writeFileSync(join(directory, 'jwt-secret'), text);
  expect(() => generatedIn(directory)).toThrow(/jwt-secret must contain at least 32 bytes/);
});

it('is not generated if the file cannot be written', () => {
  mkdirSync(join(directory, 'jwt-secret'));
  expect(() => generatedIn(directory)).toThrow(/EISDIR/);
  writeFileSync(join(directory, 'file'), '');
  expect(() => generatedIn(join(directory, 'file'))).toThrow(/EEXIST|ENOTDIR/);
});

it('is kept in memory for an in-memory database', () => {
  const secret = generatedIn('memory:one');
  expect(secret).toMatch(/^[\w-]{64}$/);
  expect(generatedIn('memory:two')).toBe(secret);
});
