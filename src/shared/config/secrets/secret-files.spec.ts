import { chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { declareVariables, InvalidEnvironmentError, readEnvironment } from '../env.js';

const SECRET = 'Ujt5VmR1cV9zXk3qW8hBzN4yLp7sTfGd';
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'secret-files-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function writeSecret(content: string): string {
  const file = join(directory, 'secret');
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

function listProblems(variables: NodeJS.ProcessEnv): readonly string[] {
  try {
    readEnvironment(variables);
    return [];
  } catch (error) {
    if (error instanceof InvalidEnvironmentError) return error.lines;
    throw error;
  }
}

it.each([
  ['as it is', SECRET],
  ['without the line break at the end', `${SECRET}\n`],
  ['without the line break of Windows', `${SECRET}\r\n`],
])('reads a secret from a file, %s', (_, content) => {
  const { token, rawVariables } = readEnvironment({ JWT_SECRET_FILE: writeSecret(content) });
  expect(token.key).toMatchObject({ kind: 'secret', secret: SECRET });
  expect(rawVariables['JWT_SECRET']).toBe(SECRET);
});

it('reads the address of the database from a file', () => {
  const file = writeSecret('postgres://u:p@h1/db\n');
  const { database } = readEnvironment({ DATABASE_URL_FILE: file, JWT_SECRET: SECRET });
  expect(database).toMatchObject({ kind: 'postgresql', url: expect.stringContaining('u:p@h1') as string });
});

it('names the variable of each file that cannot be used', () => {
  expect(listProblems({ JWT_SECRET_FILE: join(directory, 'absent') })).toEqual([
    'JWT_SECRET_FILE names a file that cannot be read (ENOENT)',
  ]);
  expect(listProblems({ JWT_SECRET_FILE: directory })).toEqual([
    'JWT_SECRET_FILE names a file that cannot be read (EISDIR)',
  ]);
  expect(listProblems({ JWT_SECRET_FILE: writeSecret('\n') })).toEqual(['JWT_SECRET_FILE names an empty file']);
  const file = writeSecret(SECRET);
  expect(listProblems({ JWT_SECRET_FILE: file, JWT_SECRET: SECRET })).toEqual([
    'JWT_SECRET_FILE and JWT_SECRET exclude each other',
  ]);
  chmodSync(file, 0o600);
  truncateSync(file, 65_537);
  expect(listProblems({ JWT_SECRET_FILE: file })).toEqual(['JWT_SECRET_FILE must name a file of at most 65536 bytes']);
});

it('validates the content of a file like the variable, without showing it', () => {
  const lines = listProblems({ JWT_SECRET_FILE: writeSecret('short') });
  expect(lines).toEqual(['JWT_SECRET must be at least 32 bytes long']);
});

it('ignores a file for a variable that is no secret, and an empty variable', () => {
  expect(readEnvironment({ PORT_FILE: join(directory, 'absent'), JWT_SECRET_FILE: '' })).toMatchObject({ port: 3000 });
});

it('reads a secret whose schema is made optional, or gets a default, after it was declared a secret', () => {
  const secret = z.string().meta({ secret: true, description: 'A secret.' });
  declareVariables('Spec', { SPEC_OPTIONAL: secret.optional(), SPEC_DEFAULT: secret.default('') });
  const file = writeSecret(SECRET);
  const { rawVariables } = readEnvironment({ SPEC_OPTIONAL_FILE: file, SPEC_DEFAULT_FILE: file });
  expect(rawVariables).toMatchObject({ SPEC_OPTIONAL: SECRET, SPEC_DEFAULT: SECRET });
});
