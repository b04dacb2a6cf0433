import { transformFileSync } from '@swc/core';
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/*
 * Lets Node load TypeScript with decorators. A file below `test/` that a test file imports gets the query of that file
 * (`?run=7`), so that Node evaluates it again for each test file.
 */

const TESTS = pathToFileURL(`${process.cwd()}/test/`).href;
const JEST_GLOBALS = `${TESTS}support/jest/native-modules.globals.mjs`;
const transformed = new Map();

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (parentURL === undefined || parentURL.includes('/node_modules/')) return next(specifier, context);
    const run = new URL(parentURL).search;
    if (specifier === '@jest/globals') return next(`${JEST_GLOBALS}${run}`, context);
    const source = findSource(specifier, parentURL);
    if (source === undefined) return next(specifier, context);
    return next(source.startsWith(TESTS) && !source.includes('?') ? `${source}${run}` : source, context);
  },
  load(url, context, next) {
    const [file] = url.split('?', 1);
    if (!file.endsWith('.ts') || file.includes('/node_modules/')) return next(url, context);
    return { format: 'module', source: transform(file), shortCircuit: true };
  },
});

/** Finds the TypeScript source for an import such as `./name.js`. */
function findSource(specifier, parentUrl) {
  if (!/^\.\.?\//.test(specifier)) return undefined;
  const source = new URL(specifier.replace(/\.js(?=$|\?)/, '.ts'), parentUrl);
  return existsSync(source) ? source.href : undefined;
}

function transform(url) {
  const known = transformed.get(url);
  if (known !== undefined) return known;
  const { code } = transformFileSync(fileURLToPath(url), { sourceMaps: 'inline' });
  transformed.set(url, code);
  return code;
}
