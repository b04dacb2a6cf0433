import { transformFileSync } from '@swc/core';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeUnsupportedNode } from './supported-node.js';

/** Modules that the commands share. They are loaded only after the check. */
const SHARED_MODULES = ['command-line.ts', 'command-error.ts', 'run-command.ts', 'terminal-colors.ts'];
const ENTRIES = [
  'src/main.ts',
  ...readdirSync('src/cli')
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !SHARED_MODULES.includes(file))
    .map((file) => `src/cli/${file}`),
];
const LINE = /^Node 26 or newer is needed, this is 20\.\d+\.\d+\. Run "npm install" first; [^\n]*\n?$/;

/** Path of a Node 20 on this machine; undefined if there is none. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (file) => existsSync(file) && spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout.startsWith('v20.'),
);

it.each([
  ['26.0.0', true],
  ['27.1.0', true],
  ['100.0.0', true],
  ['25.9.0', false],
  ['20.19.0', false],
  ['4.0.0', false],
])('%s is supported: %s', (version, isSupported) => {
  expect(describeUnsupportedNode(version) === undefined).toBe(isSupported);
});

it('explains in one line that a version is too old', () => {
  expect(describeUnsupportedNode('20.19.0')).toMatch(LINE);
});

it.each(ENTRIES)('%s statically imports only the check', (file) => {
  const imports = readFileSync(file, 'utf8').match(/^import .*$/gm)!;
  expect(imports).toEqual([expect.stringMatching(/^import \{ requireSupportedNode \} from '.*supported-node\.js';$/)]);
});

it('the check of npm scripts prints the same line', () => {
  const simulateOldNode = `
    Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } });
    require('./.ci/node-version.cjs');`;
  const { status, stderr } = spawnSync(process.execPath, ['--eval', simulateOldNode], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, `${describeUnsupportedNode('20.19.0')}\n`]);
});

(oldNode === undefined ? it.skip : it)('all entries end with that line and code 1 on an old Node', () => {
  const directory = mkdtempSync(join(tmpdir(), 'old-node-'));
  for (const file of [...ENTRIES, 'src/shared/config/supported-node.ts']) {
    const target = join(directory, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, transformFileSync(file).code);
  }
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  const files = [...ENTRIES.map((entry) => join(directory, entry.replace(/\.ts$/, '.js'))), '.ci/node-version.cjs'];
  const results = files.map((file) => [file, spawnSync(oldNode!, [file], { encoding: 'utf8' })] as const);
  rmSync(directory, { recursive: true });
  for (const [file, { status, stdout, stderr }] of results)
    expect([file, status, stdout, stderr]).toEqual([file, 1, '', expect.stringMatching(LINE)]);
});
