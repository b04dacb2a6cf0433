import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findFreePort } from '../support/process/service-process.js';
import { waitFor } from '../support/app/test-app.js';
import { nodeVariables } from '../support/process/node-variables.js';

/*
 * Runs the commands of README.md and docs/tutorial.md, first in bash on a new embedded database and then in zsh on the
 * same one. The service is started with the commands of the README, in a separate directory.
 */

const FOLDER_AT_START = ['dist', 'node_modules', 'package.json'];
const folder = mkdtempSync(join(tmpdir(), 'tutorial-'));
for (const name of FOLDER_AT_START) symlinkSync(join(process.cwd(), name), join(folder, name));
// npm adds the Node of this directory to PATH, as it does for a reader. curl and sed are those of the system.
const environment = {
  ...nodeVariables(),
  HOME: mkdtempSync(join(tmpdir(), 'home-')),
  TZ: 'UTC',
};

/** Prints the status, method and path of each request to standard error, and stops at the first failed command. */
const PREAMBLE = `set -e
curl() { command curl -sS -w '%{stderr}\\nstatus %{http_code} %{method} %{url}\\n' "$@"; }
`;

let service: ReturnType<typeof spawn>;
let output = '';
let port: number;

beforeAll(async () => {
  port = await findFreePort();
  service = spawn(process.execPath, ['dist/src/main.js'], { cwd: folder, env: { ...environment, PORT: String(port) } });
  for (const stream of [service.stdout, service.stderr]) stream!.on('data', (chunk) => (output += String(chunk)));
  await waitFor(async () => output.includes('Try it:'));
});

afterAll(async () => {
  const ended = new Promise((resolve) => service.once('exit', resolve));
  service.kill('SIGINT');
  await ended;
  for (const made of [folder, environment.HOME]) rmSync(made, { recursive: true });
});

/** Returns the commands below a heading, or all commands of a page. */
function commandsOf(file: string, heading?: string): string {
  const page = readFileSync(file, 'utf8');
  const part = heading === undefined ? page : page.split(/^## /m).find((section) => section.startsWith(heading))!;
  return [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('');
}

/**
 * Runs commands in a shell. Does not use `spawnSync`, because the test must read the log of the service at the same
 * time.
 */
async function paste(shell: string, commands: string) {
  const local = `http://localhost:${port}`;
  const child = spawn(shell, [shell === 'zsh' ? '-f' : '--norc', '-s'], {
    cwd: folder,
    env: { ...environment, PORT: String(port) },
  });
  child.stdin.end(PREAMBLE + commands.replaceAll('http://localhost:3000', local));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const requests = [...stderr.matchAll(/^status (.*)$/gm)].map(([, request]) => request!.replace(local, ''));
  return { requests, status, output: stdout + stderr };
}

const tutorial = commandsOf('docs/tutorial.md');
const walk = commandsOf('README.md', 'A short walk');

it('has no comments, which an interactive zsh would execute', () => {
  expect(`${walk}${tutorial}`).not.toMatch(/(^|\s)# /m);
});

it.each(['bash', 'zsh'])('runs in %s', async (shell) => {
  if (spawnSync(shell, ['--version']).error) {
    process.stdout.write(`Skipped: ${shell} is not installed.\n`);
    return;
  }
  // Runs the command in the startup message first. It creates a plan, so all IDs differ from those in the tutorial.
  const printed = /^ +(curl -i .*)$/m.exec(output)![1]!;
  const { requests, status, output: answers } = await paste(shell, `${printed}\n${walk}${tutorial}`);
  expect({ status, answers: status === 0 ? '' : answers }).toEqual({ status: 0, answers: '' });
  expect(requests.length).toBeGreaterThan(45);
  expect(requests.filter((request) => !/^2/.test(request))).toEqual(['401 GET /gateway/profile/client/homework']);
  // The commands leave only .data, which git and `npm run check` ignore.
  expect(readdirSync(folder).toSorted()).toEqual(['.data', ...FOLDER_AT_START]);
});
