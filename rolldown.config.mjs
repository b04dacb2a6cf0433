import { readdirSync, readFileSync } from 'node:fs';
import { getBuiltinModule } from 'node:process';
import { dirname, join, relative } from 'node:path';
import { defineConfig } from 'rolldown';

/*
 * Bundles the service, its commands and their libraries after `nest build` (docs/adr/0020-bundle.md). The entry points
 * keep their paths. All other modules stay in `dist` for the programs that import them, such as the benchmarks.
 */

const SOURCE = join(import.meta.dirname, 'dist/src');
const CHUNKS = join(SOURCE, 'chunks');
const MIGRATIONS = join(SOURCE, 'migrations');

const commands = listModules(join(SOURCE, 'cli/commands')).map((name) => `cli/commands/${name}`);

/** Reads the source maps of `nest build`, so that stack traces show the TypeScript files. */
const readSourceMaps = {
  name: 'read-source-maps',
  load: {
    filter: { id: /[\\/]dist[\\/]src[\\/].*\.js$/ },
    handler: (id) => ({ code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') }),
  },
};

/** Imports the migrations by name, because `src/migrations/index.ts` imports the files that its directory contains. */
const importMigrations = {
  name: 'import-migrations',
  transform: {
    filter: { id: join(MIGRATIONS, 'index.js') },
    handler(code) {
      const names = listModules(MIGRATIONS);
      const imports = names.map((name, index) => `import * as migration${index} from './${name}.js';`);
      const properties = names.map((name, index) => `'${name}': migration${index}`);
      const dynamicImport = 'import(`./${name}.js`)';
      if (!code.includes(dynamicImport)) this.error(`There is no ${dynamicImport}`);
      return imports.join('') + code.replace(dynamicImport, `({ ${properties.join(', ')} })[name]`);
    },
  },
};

/** Lets modules find the files next to their original place. */
const keepPaths = {
  name: 'keep-paths',
  transform: {
    filter: { code: /import\.meta\.(url|dirname)/ },
    handler(code, id) {
      const path = relative(CHUNKS, id);
      return code
        .replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`)
        .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(path)}')`);
    },
  },
  generateBundle(_options, bundle) {
    for (const { type, fileName, moduleIds } of Object.values(bundle))
      if (type === 'chunk' && moduleIds.length > 0 && !fileName.startsWith('chunks/'))
        this.error(`The modules of ${fileName} are not in chunks, so their paths are wrong`);
  },
};

/**
 * Takes the exports of `node:http` from the module object. An import makes Node load the WebSocket classes of `undici`,
 * which are among the exports and which the service does not use.
 */
const avoidUndici = {
  name: 'avoid-undici',
  resolveId: {
    filter: { id: /^(node:)?https?$/ },
    handler: (id, _importer, { kind }) => (kind === 'import-statement' ? `\0builtin:${id.replace('node:', '')}` : null),
  },
  load: {
    filter: { id: /^\0builtin:/ },
    handler(id) {
      const name = id.slice('\0builtin:'.length);
      const properties = Object.entries(Object.getOwnPropertyDescriptors(getBuiltinModule(name)));
      // Node defines properties that load a module as accessors.
      const names = properties.filter(([, { get }]) => get === undefined).map(([property]) => property);
      return [
        `const builtin = process.getBuiltinModule('${name}');`,
        'export default builtin;',
        `export const { ${names.join(', ')} } = builtin;`,
      ].join('\n');
    },
  },
};

/** Removes the source maps of libraries, because Node computes the lengths of all lines of a file that has one. */
const dropLibraryMaps = {
  name: 'drop-library-maps',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || !chunk.fileName.startsWith('chunks/libraries')) continue;
      delete bundle[chunk.sourcemapFileName];
      chunk.code = chunk.code.replace(/\n\/\/# sourceMappingURL=.*$/m, '');
      chunk.map = null;
    }
  },
};

export default defineConfig({
  input: Object.fromEntries(['start', ...commands].map((name) => [name, join(SOURCE, `${name}.js`)])),
  platform: 'node',
  // Libraries import these packages only if they are installed.
  external: [/^@nestjs\/(microservices|websockets|platform-express)/, /^@fastify\/(multipart|view)$/],
  plugins: [readSourceMaps, importMigrations, keepPaths, avoidUndici, dropLibraryMaps],
  // Libraries use `eval`. The changes above keep the lines of the modules.
  checks: { eval: false, sourcemapBroken: false },
  output: {
    dir: SOURCE,
    format: 'esm',
    chunkFileNames: ({ name }) => `chunks/${name.split('~')[0]}-[hash].js`,
    sourcemap: true,
    // Node keeps the maps in memory, where the source texts would take 7 MB.
    sourcemapExcludeSources: true,
    // V8 keeps the code in memory, with two bytes for each character of a file that is not only ASCII.
    charset: 'ascii',
    comments: false,
    // Log lines and errors contain the names of classes.
    keepNames: true,
    codeSplitting: {
      groups: [
        { name: 'libraries', test: /[\\/]node_modules[\\/]/, priority: 1, entriesAware: true },
        { name: 'service', test: /[\\/]dist[\\/]src[\\/]/, entriesAware: true },
      ],
    },
  },
});

function listModules(directory) {
  const files = readdirSync(directory).filter((file) => /(?<!\.spec|^index)\.js$/.test(file));
  return files.map((file) => file.slice(0, -'.js'.length));
}
