import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/*
 * npm run check:generators: three code generators read the OpenAPI document, and TypeScript compiles what they write with
 * all strict options. Two of them are downloaded, in exact versions, because their dependencies are not needed otherwise.
 */

const node = (...args: string[]) =>
  execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'inherit'] });
/** In a folder of its own: `npx` would choose a version of TypeScript that the generator cannot use. */
function install(...packages: string[]): string {
  const folder = join(directory, `install${packages[0]!.replaceAll(/\W/g, '-')}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  execFileSync('npm', ['install', ...options, 'typescript@6.0.3', ...packages], { cwd: folder, ...QUIET });
  return join(folder, 'node_modules/.bin');
}

const QUIET = { stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'] };

mkdirSync('node_modules/.cache', { recursive: true });
const directory = resolve(mkdtempSync('node_modules/.cache/generators-'));
const document = join(directory, 'openapi.json');

const GENERATORS: Readonly<Record<string, (output: string) => void>> = {
  'openapi-typescript 7.13.0': (output) => {
    mkdirSync(output);
    node('node_modules/openapi-typescript/bin/cli.js', document, '-o', join(output, 'schema.ts'));
  },
  '@hey-api/openapi-ts 0.99.0': (output) => {
    const bin = install('@hey-api/openapi-ts@0.99.0');
    execFileSync(join(bin, 'openapi-ts'), ['-i', document, '-o', output, '-c', '@hey-api/client-fetch'], QUIET);
  },
  'orval 8.38.0': (output) => {
    const bin = install('orval@8.38.0');
    execFileSync(
      join(bin, 'orval'),
      ['--input', document, '--output', join(output, 'client.ts'), '--client', 'fetch'],
      QUIET,
    );
  },
};

function compile(output: string): void {
  const strict = { strict: true, noUncheckedIndexedAccess: true, noImplicitOverride: true, noEmit: true };
  const compilerOptions = {
    ...strict,
    ...{
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    },
  };
  const project = join(output, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions, include: ['.'] }));
  node('node_modules/typescript/bin/tsc', '-p', project);
}

try {
  writeFileSync(document, node('--import', './.ci/source.ts', 'src/cli/commands/openapi.ts'));
  for (const [name, generate] of Object.entries(GENERATORS)) {
    const output = join(directory, name.replaceAll(/\W/g, '-'));
    generate(output);
    compile(output);
    process.stdout.write(`${name}: generated and compiled\n`);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
