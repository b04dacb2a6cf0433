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
// The package contains no other document, so a link to one becomes its text.
const readme = readFileSync('docs/client.md', 'utf8').replaceAll(/\[([^\]]+)\]\([\w-]+\.md[^)]*\)/g, '$1');
writeFileSync(join(directory, 'README.md'), readme);
copyFileSync('docs/client-example.ts', join(directory, 'client-example.ts'));
