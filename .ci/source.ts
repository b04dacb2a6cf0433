import { transformFileSync } from '@swc/core';
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * node --import ./.ci/source.ts <script>: allows a script to import TypeScript sources without a build. Node itself
 * strips types but does not support decorators.
 */

registerHooks({
  resolve: (specifier, context, next) => next(sourceOf(specifier, context.parentURL) ?? specifier, context),
  load(url, context, next) {
    if (!url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context);
    const { code } = transformFileSync(fileURLToPath(url), { sourceMaps: 'inline' });
    return { format: 'module', source: code, shortCircuit: true };
  },
});

/** Finds the TypeScript source for an import such as `./name.js`. */
function sourceOf(specifier: string, parent: string | undefined): string | undefined {
  if (!/^\.\.?\/.*\.js$/.test(specifier) || parent === undefined || parent.includes('/node_modules/')) return undefined;
  const source = new URL(specifier.replace(/\.js$/, '.ts'), parent);
  return existsSync(source) ? source.href : undefined;
}
