import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/* npm run client:build: compiles src/client into the package dist/client, or into the directory of the argument. */

const directory = process.argv[2] ?? 'dist/client';
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as { version: string };

rmSync(directory, { recursive: true, force: true });
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'src/client', '--outDir', directory], {
  stdio: 'inherit',
});
// The client has the version of the service whose operations it knows.
const manifest = { ...read('src/client/package.json'), version: read('package.json').version };
writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync('docs/client.md', join(directory, 'README.md'));
copyFileSync('docs/client-example.ts', join(directory, 'client-example.ts'));
