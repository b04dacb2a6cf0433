import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { findBreakingChanges } from './contract/compare.js';
import type { Document } from './contract/document.js';

/*
 * npm run check:contract: fails if the API breaks callers of the last release, whose OpenAPI document is
 * docs/openapi-released.json. npm run release:contract replaces that file by the document of the current source.
 */

const RELEASED = 'docs/openapi-released.json';

const current = JSON.parse(
  execFileSync(process.execPath, ['--import', './.ci/source.ts', 'src/cli/commands/openapi.ts'], {
    encoding: 'utf8',
    env: { ...process.env, PUBLIC_URL: '' },
    maxBuffer: 16 * 2 ** 20,
  }),
) as Document;

if (process.argv.includes('--release')) {
  writeFileSync(RELEASED, `${JSON.stringify(current)}\n`);
} else {
  const changes = findBreakingChanges(JSON.parse(readFileSync(RELEASED, 'utf8')) as Document, current);
  const advice =
    'Callers of the last release break. Add instead of changing, or see CONTRIBUTING.md, "Change the API without breaking it".';
  if (changes.length > 0) process.stderr.write(`${[...changes, advice].join('\n')}\n`);
  process.exitCode = changes.length > 0 ? 1 : 0;
}
