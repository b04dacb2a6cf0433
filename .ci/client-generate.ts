import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { generateClient, type OpenApiDocument } from './client-generator.js';

/*
 * npm run client:generate: writes src/client/generated.ts, the types and the table of the client's methods, from the
 * OpenAPI document. `--check <file>` compares it with a document in a file, and writes nothing.
 */

const FILE = 'src/client/generated.ts';
const [mode, documentFile] = process.argv.slice(2);

function createDocument(): string {
  const args = ['--import', './.ci/source.ts', 'src/cli/commands/openapi.ts'];
  return execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
}

const text = documentFile === undefined ? createDocument() : readFileSync(documentFile, 'utf8');
const generated = await generateClient(JSON.parse(text) as OpenApiDocument);
const formatted = await format(generated, { ...(await resolveConfig(FILE)), filepath: FILE });

if (mode === '--check' && readFileSync(FILE, 'utf8') !== formatted) {
  process.stderr.write(`${FILE} is not current. Run: npm run client:generate\n`);
  process.exit(1);
}
if (mode !== '--check') writeFileSync(FILE, formatted);
