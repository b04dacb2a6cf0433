import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dockerfile, imageEnvironment, finalStage, keyStoreDirectory } from '../support/operations/dockerfile.js';

/* Checks the rules for the Dockerfile without building an image. */

const wordsOf = (keyword: string, list = dockerfile) =>
  list.filter((instruction) => instruction.keyword === keyword).map(({ args }) => args);
const list = (words: string) => JSON.parse(words.slice(words.indexOf('['))) as string[];

it('has a comment for every instruction', () => {
  expect(dockerfile.length).toBeGreaterThan(15);
  expect(dockerfile.filter(({ comment }) => comment === undefined)).toEqual([]);
});

it('is based on the Node version of package.json only', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { devDependencies: { node: string } };
  const [first, ...others] = wordsOf('FROM');
  expect(first).toMatch(new RegExp(`^node:${devDependencies.node.replaceAll('.', '\\.')}-[\\w-]+ AS base$`));
  for (const other of others) expect(other).toMatch(/^base( AS \w+)?$/);
});

it('installs the lock file without install scripts, and keeps production dependencies only', () => {
  const runs = wordsOf('RUN');
  const installs = runs.filter((words) => words.startsWith('npm '));
  expect(installs.length).toBe(2);
  for (const words of installs) expect(words).toMatch(/^npm ci .*--ignore-scripts/);
  const stage = dockerfile.findIndex(({ args }) => args === 'base AS dependencies');
  expect(dockerfile.slice(stage).find(({ keyword }) => keyword === 'RUN')!.args).toContain('--omit=dev');
  expect(wordsOf('COPY', finalStage)).toEqual([
    '--from=dependencies /app/node_modules ./node_modules',
    '--from=build /app/dist ./dist',
  ]);
});

it('runs without privileges, and does not own its files', () => {
  expect(wordsOf('USER', finalStage)).toEqual(['node']);
  expect(
    finalStage.map(({ keyword }) => keyword).filter((keyword) => ['RUN', 'ADD', 'VOLUME'].includes(keyword)),
  ).toEqual([]);
  expect(wordsOf('COPY').filter((words) => /--ch(own|mod)/.test(words))).toEqual([]);
});

it('has one directory that the service owns, for a volume with the key store', () => {
  const others = wordsOf('RUN').filter((words) => !/^(npm ci|node node_modules\/)|compile-cache|^! /.test(words));
  expect(others).toEqual([
    `install --directory --owner=node --group=node --mode=${keyStoreDirectory.mode} ${keyStoreDirectory.path}`,
  ]);
  expect([keyStoreDirectory.mode, keyStoreDirectory.path]).toEqual(['0700', '/var/lib/care-scheduling/keys']);
  // It is in the stage on which the image is based.
  const base = dockerfile.findIndex(({ args }) => args.endsWith(' AS base'));
  const next = dockerfile.findIndex(({ args }) => args === 'base AS dependencies');
  expect(dockerfile.slice(base, next).map(({ args }) => args)).toContain(others[0]);
});

it('contains compiled code of a whole start, made by the account of the image and owned by root', async () => {
  const build = dockerfile.slice(
    dockerfile.findIndex(({ args }) => args === 'base AS build'),
    -finalStage.length,
  );
  const steps = build.map(({ keyword, args }) => `${keyword} ${args}`).slice(-5);
  const [compile] = steps.splice(2, 1);
  expect(steps).toEqual([
    'RUN install --directory --owner=node dist/compile-cache',
    ...['USER node', 'USER root', 'RUN chown --recursive root: dist/compile-cache'],
  ]);
  const words = compile!.split(' ');
  expect([words.slice(0, 2), words.slice(-2)]).toEqual([
    ['RUN', '!'],
    ['node', 'dist/src/main.js'],
  ]);
  const variables = words.slice(2, -2).map((word) => word.split('=') as [string, string]);
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    env: { PATH: process.env['PATH'], ...Object.fromEntries(variables) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (data) => (stderr += String(data)));
  const code = await new Promise((resolve) => child.on('close', resolve));
  // A start that ends earlier, such as by an invalid variable, would compile less.
  expect([code, stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  expect(existsSync('dist/compile-cache')).toBe(true);
});

it('contains no secret', () => {
  expect(imageEnvironment).toEqual({ NODE_ENV: 'production', HOST: '0.0.0.0' });
  expect(wordsOf('ARG')).toEqual([]);
});

it('starts node directly, so that process 1 receives the signal', () => {
  const [command] = wordsOf('CMD', finalStage).map(list);
  expect(command).toEqual(['node', '--max-semi-space-size=16', 'dist/src/main.js']);
  // The image runs the same command as `npm start`.
  expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({
    scripts: { start: `exec ${command!.join(' ')}` },
  });
  expect(wordsOf('STOPSIGNAL', finalStage)).toEqual(['SIGTERM']);
  expect(wordsOf('ENTRYPOINT')).toEqual([]);
});

describe('the build context', () => {
  const patterns = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

  it('contains only files that are copied by name', () => {
    const copied = wordsOf('COPY')
      .filter((words) => !words.startsWith('--from'))
      .flatMap((words) => words.split(' ').slice(0, -1));
    expect(patterns[0]).toBe('*');
    expect(
      patterns
        .filter((pattern) => pattern.startsWith('!'))
        .map((pattern) => pattern.slice(1))
        .toSorted(),
    ).toEqual(copied.toSorted());
    for (const path of copied) expect([path, existsSync(path)]).toEqual([path, true]);
  });

  it('contains no tests', () => {
    expect(patterns.at(-1)).toBe('**/*.spec.ts');
  });
});

describe('the health check', () => {
  const [program, ...words] = list(wordsOf('HEALTHCHECK', finalStage)[0]!);
  const check = (port: number) =>
    new Promise<number | null>((resolve) => {
      expect(program).toBe('node');
      const environment = { PATH: process.env['PATH'], PORT: String(port) };
      spawn(process.execPath, words, { env: environment, stdio: 'ignore' }).on('close', resolve);
    });

  it.each([
    ['ready', 'HTTP/1.1 200 OK', 0],
    ['not ready', 'HTTP/1.1 503 Service Unavailable', 1],
  ])('detects a service that is %s', async (_, status, code) => {
    const asked: string[] = [];
    const server = createServer((socket) =>
      socket.on('data', (data) => {
        asked.push(String(data).split('\r\n')[0]!);
        socket.end(`${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const whileUp = await check(port);
    await new Promise((resolve) => server.close(resolve));
    expect([asked, whileUp, await check(port)]).toEqual([['GET /health/ready HTTP/1.1'], code, 1]);
  });
});
