import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { walkThrough } from '../../docs/client-example.js';
import { TestApp } from '../support/app/test-app.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/*
 * Tests the client as an npm package: packs it, installs it in an empty directory, compiles an example, and runs it
 * against the service.
 */

const run = promisify(execFile);
const PACKAGE = '@care-scheduling/client';

let folder: string;
let files: Server;
let origin: string;
let app: TestApp;

beforeAll(async () => {
  mkdirSync('node_modules/.cache', { recursive: true });
  folder = resolve(mkdtempSync('node_modules/.cache/client-'));
  files = createServer((request, answer) => {
    const isPage = request.url === '/';
    const type = isPage ? 'text/html' : extname(request.url!) === '.js' ? 'text/javascript' : 'text/plain';
    answer.writeHead(200, { 'content-type': type }).end(isPage ? PAGE : readFileSync(join(folder, request.url!)));
  });
  await new Promise<void>((started) => files.listen(0, '127.0.0.1', started));
  origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  [app] = await Promise.all([TestApp.start({ corsOrigins: [origin] }), install()]);
});
afterAll(async () => {
  files.close();
  rmSync(folder, { recursive: true, force: true });
  await app.stop();
});

/** Packs the client, installs it in an empty directory, and compiles the example there. */
async function install(): Promise<void> {
  const options = { cwd: folder };
  await run(process.execPath, ['.ci/client-build.ts', join(folder, 'built')]);
  await run('npm', ['pack', './built', '--silent'], options);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await run('npm', ['install', `./${tarball!}`, '--offline', '--no-audit', '--no-fund'], options);
  writeFileSync(join(folder, 'example.ts'), readFileSync('docs/client-example.ts'));
  writeFileSync(join(folder, 'mistakes.ts'), MISTAKES);
  writeFileSync(join(folder, 'main.js'), MAIN);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, include: ['*.ts'] }));
  await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder]).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
}

// Compiler options that also check the declarations of the package, but not those of TypeScript itself.
const STRICT = {
  ...{ target: 'es2022', module: 'nodenext', strict: true, noUncheckedIndexedAccess: true },
  ...{ exactOptionalPropertyTypes: true, noPropertyAccessFromIndexSignature: true, skipDefaultLibCheck: true },
  ...{ types: [], lib: ['es2022', 'dom'] },
};

const MISTAKES = `
import { createClient, isProblem, type Session } from '${PACKAGE}';

const { careProvider, clinic } = createClient({ baseUrl: '', token: '' });
export async function mistakes(session: Session): Promise<void> {
  // @ts-expect-error -- an id is a number
  await careProvider.getSession({ id: 'x' });
  // @ts-expect-error -- there is no such parameter
  await careProvider.listSessions({ form: '2027-07-05' });
  // @ts-expect-error -- the body has no such field
  await careProvider.createSessions({ body: { clientId: 1, date: '2027/07/05', time: '09:30', durationMinute: 30 } });
  // @ts-expect-error -- a change needs the version
  await careProvider.changeSession({ id: 1, body: {} });
  // @ts-expect-error -- there is no such state
  await careProvider.listSessions({ status: 'DONE' });
  // @ts-expect-error -- there is no such operation
  await careProvider.listSession();
  // @ts-expect-error -- there is no such kind of problem
  isProblem(undefined, 'schedule-conflicts');
  const plan = await clinic.createDesignPlan({ prefer: 'return=representation', body: { planName: 'P' } });
  plan.weeks.length.toFixed();
  // @ts-expect-error -- without the preference the answer has the id alone
  (await clinic.createDesignPlan({ body: { planName: 'P' } })).weeks;
  for await (const one of careProvider.listSessions()) session = one;
  const error: unknown = session;
  // @ts-expect-error -- only one kind of problem has conflicts
  if (isProblem(error, 'not-found')) error.conflicts.length;
  if (isProblem(error) && error.type === 'urn:problem:schedule-conflict') error.conflicts.length.toFixed();
}
`;

const MAIN = `
import { walkThrough } from './example.js';
const lines = [];
await walkThrough({ ...JSON.parse(process.argv[2]), log: (line) => lines.push(line) });
console.log(JSON.stringify(lines));
`;

const IMPORTS = { imports: { [PACKAGE]: `/node_modules/${PACKAGE}/index.js` } };
const PAGE = `<!doctype html><title>Example</title><script type="importmap">${JSON.stringify(IMPORTS)}</script>`;

/** Creates a Clinic with the records that the example needs. */
async function createSetting() {
  const clinic = await app.createClinic();
  const tokens = {
    clinic: clinic.clinicToken,
    careProvider: clinic.careProviderToken,
    client: await app.createToken('CLIENT', clinic.clientIds[0]),
  };
  return { baseUrl: app.url, tokens, clientId: clinic.clientIds[0], bookId: clinic.ownBookId };
}

const EXPECTED = [
  'planned: 2027/07/05 09:30, 2027/07/12 09:30',
  '2027/07/05 09:30 Sleep session, SCHEDULED',
  '2027/07/12 09:30 Sleep session, SCHEDULED',
  '2027/07/05 09:30 One: Sleep session, 0 of 1 done',
  '1 overlap with a Session at 2027-07-05T08:30:00.000Z',
  'moved to 2027/07/12 11:00',
  'cancelled: 2027/07/12 CANCELLED',
  'homework due 2027/07/12: done',
];

describe('the package', () => {
  it('has no dependency, and the version of the service', () => {
    const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const manifest = read(join(folder, 'node_modules', PACKAGE, 'package.json'));
    expect(manifest).toMatchObject({ name: PACKAGE, version: read('package.json')['version'], type: 'module' });
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  });

  it('has a README without links to files that the package does not contain', () => {
    const readme = readFileSync(join(folder, 'node_modules', PACKAGE, 'README.md'), 'utf8');
    const files = [...readme.matchAll(/\]\(([\w.-]+\.\w+)/g)].map(([, file]) => file);
    expect(new Set(files)).toEqual(new Set(['client-example.ts']));
  });

  it('has no type any', () => {
    const directory = join(folder, 'node_modules', PACKAGE);
    for (const name of readdirSync(directory).filter((file) => file.endsWith('.d.ts'))) {
      const code = readFileSync(join(directory, name), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
      expect([name, code.match(/\bany\b/)]).toEqual([name, null]);
    }
  });

  it('has the operations and types of the OpenAPI document', async () => {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, (await app.call('GET', '/openapi.json')).text);
    const check = await run(process.execPath, [
      '--import',
      './.ci/source.ts',
      '.ci/client-generate.ts',
      '--check',
      file,
    ]).catch((error: unknown) => error as { stderr: string });
    expect(check.stderr).toBe('');
  });
});

describe('the example', () => {
  it('runs in this version of Node, and in the oldest supported one', async () => {
    const oldest = await findOldNode();
    if (oldest === undefined) process.stdout.write('Node 20: skipped, because no older Node is on the PATH\n');
    for (const node of [process.execPath, ...(oldest === undefined ? [] : [oldest])]) {
      const { stdout } = await run(node, [join(folder, 'main.js'), JSON.stringify(await createSetting())]);
      expect(JSON.parse(stdout)).toEqual(EXPECTED);
    }
  });

  /** Returns the path of the machine's own Node if it is older than the one of the project. */
  async function findOldNode(): Promise<string | undefined> {
    for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
      const node = join(directory, 'node');
      const { stdout } = await run(node, ['--version']).catch(() => ({ stdout: '' }));
      const major = Number(/^v(\d+)\./.exec(stdout)?.[1]);
      if (major >= 20 && major < Number.parseInt(process.versions.node)) return node;
    }
    return undefined;
  }
});

describeInBrowser('in a browser', () => {
  it('runs the example from another origin, without a bundler', async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      const lines = await page.evaluate(
        async (setting) => {
          const path = '/example.js';
          const example = (await import(path)) as { walkThrough: typeof walkThrough };
          const logged: string[] = [];
          await example.walkThrough({ ...setting, log: (line) => logged.push(line) });
          return logged;
        },
        await createSetting(),
      );
      expect(lines).toEqual(EXPECTED);
    } finally {
      await browser.close();
    }
  });
});
