import { PGlite } from '@electric-sql/pglite';
import { jest } from '@jest/globals';
import { openAsBlob } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { runSimulateCommand } from '../../src/cli/simulate/command.js';
import { demonstrationPlan } from '../../src/cli/simulate/run/demonstration-plan.js';
import { listPlannedReminders, type SimulationResult } from '../../src/cli/simulate/simulation.js';
import type { SeriesChange } from '../../src/session/index.js';
import { readCreatedId } from '../support/app/series-fixtures.js';
import { TestApp } from '../support/app/test-app.js';

declare const TEST_DATABASE: 'embedded' | 'postgresql';
// A simulation always uses an in-memory database, so it is tested in one project only.
const describeOnce = TEST_DATABASE === 'embedded' ? describe : describe.skip;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulate-'));
});
afterAll(() => rm(folder, { recursive: true }));

class Sink extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

async function run(...args: string[]) {
  const [stdout, stderr] = [new Sink(), new Sink()];
  const exitCode = await runSimulateCommand(args, { stdout, stderr });
  return { exitCode, text: stdout.text, errors: stderr.text };
}

async function play(...args: string[]) {
  const [html, json] = [join(folder, 'page.html'), join(folder, 'run.json')];
  const { exitCode, text, errors } = await run(...args, '--html', html, '--json', json);
  expect({ exitCode, text }).toMatchObject({ exitCode: 0 });
  const simulation = JSON.parse(await readFile(json, 'utf8')) as SimulationResult;
  return { simulation, html: await readFile(html, 'utf8'), text, errors };
}

/** Makes further simulations start from a migrated template, so that only the first one runs the migrations. */
async function useMigratedTemplate(): Promise<void> {
  const loadDataDir = await openAsBlob(process.env['TEST_EMBEDDED_TEMPLATE']!);
  const create = PGlite.create.bind(PGlite) as (options: object) => Promise<PGlite>;
  jest
    .spyOn(PGlite as unknown as { create: typeof create }, 'create')
    .mockImplementation((options) => create({ loadDataDir, ...options }));
}

async function planFile(plan: unknown): Promise<string> {
  const file = join(folder, 'plan.json');
  await writeFile(file, typeof plan === 'string' ? plan : JSON.stringify(plan));
  return file;
}

const localTime = (instant: string, timeZone: string) =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone).toPlainTime().toString({ smallestUnit: 'minute' });

/** Lists elements that are not closed in the right order, and elements that are not allowed. */
function faultsOf(html: string): string[] {
  const open: string[] = [];
  const faults: string[] = [];
  for (const [, closing, name, rest] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^>"])*)>/gi)) {
    if (name === 'meta' || rest!.endsWith('/')) continue;
    if (!closing) open.push(name!);
    else if (open.pop() !== name) faults.push(`</${name}>`);
  }
  const forbidden = html.match(
    /<script|<link|<img|<iframe|https?:|\/\/[a-z]|\bsrc=|href=|url\(|@import|\son\w+=|NaN|undefined/gi,
  );
  return [...faults, ...open, ...(forbidden ?? [])];
}

describeOnce('the demonstration plan', () => {
  let played: Awaited<ReturnType<typeof play>>;
  let app: TestApp;
  beforeAll(async () => {
    played = await play();
    await useMigratedTemplate();
    app = await TestApp.start();
  });
  afterAll(() => app.stop());

  it('simulates twelve weeks until nothing is left to do', () => {
    const { sessions, reminders, messages } = played.simulation;
    // These instants were computed independently with Python's zoneinfo.
    expect(sessions.map(({ startsAt }) => startsAt.slice(5, 16))).toEqual([
      ...['03-01T09:30', '03-08T09:30', '03-15T09:30', '03-22T09:30'],
      ...['03-29T08:30', '04-05T08:30', '04-12T08:30', '04-19T08:30'],
      ...['04-26T08:30', '05-03T08:30', '05-10T08:30', '05-17T08:30'],
    ]);
    expect(new Set(sessions.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
    const counts = Object.entries(
      Object.groupBy(reminders, ({ kind, recipientKind, status }) => [kind, recipientKind, status].join(' ')),
    );
    expect(Object.fromEntries(counts.map(([key, all]) => [key, all!.length]))).toEqual({
      'SESSION CLIENT SENT': 24,
      'SESSION CARE_PROVIDER SENT': 24,
      'HOMEWORK CLIENT SENT': 24,
      'HOMEWORK CLIENT WITHDRAWN': 12,
    });
    const delivered = messages.flatMap(({ reminderIds }) => reminderIds).sort((a, b) => a - b);
    const sent = reminders.filter(({ status }) => status === 'SENT').map(({ id }) => id);
    expect(delivered).toEqual(sent.sort((a, b) => a - b));
  });

  it('has the due times of a dry run of the service', async () => {
    const clinic = await app.createToken('CLINIC', 1);
    const plan = readCreatedId(
      await app.call('POST', '/gateway/profile/clinic/design-plan', { token: clinic, body: demonstrationPlan }),
    );
    const answer = await app.call('POST', `/gateway/profile/caregiver/design-plan/${plan}/apply?dryRun=true`, {
      token: await app.createToken('CARE_PROVIDER', 1),
      body: { clientId: 1, date: '2027/03/01', time: '09:30', reminders: ['-P1D', '-PT2H'] },
    });
    const expected = listPlannedReminders(answer.body as SeriesChange).map(({ dueAt }) => dueAt);
    expect(played.simulation.reminders.map(({ dueAt }) => dueAt).sort()).toEqual(expected.sort());
  });

  it('shows the warnings of a dry run of the service, in the terminal and on the page', async () => {
    const early = ['--time', '07:00', '--remind', 'PT1H', '--weeks', '5'];
    const { text, html } = await play(...early);
    const [clinic, client] = [await app.createToken('CLINIC', 1), await app.createToken('CLIENT', 1)];
    const body = { quietHours: { from: '21:00', to: '08:00' } };
    await app.call('PUT', '/gateway/profile/client/reminder-preference', { token: client, body });
    const plan = { token: clinic, body: demonstrationPlan };
    const id = readCreatedId(await app.call('POST', '/gateway/profile/clinic/design-plan', plan));
    const application = { clientId: 1, date: '2027/03/01', time: '07:00', reminders: ['-PT1H'], toWeek: 5 };
    const answer = await app.call('POST', `/gateway/profile/caregiver/design-plan/${id}/apply?dryRun=true`, {
      token: await app.createToken('CARE_PROVIDER', 1),
      body: application,
    });
    const { warnings } = answer.body as SeriesChange;
    expect(new Set(warnings.map(({ kind }) => kind))).toEqual(new Set(['DAYLIGHT_SAVING_SHIFT', 'QUIET_HOURS']));
    const expected = warnings.map(({ position, detail }) => `Session ${position}: ${detail}`);
    expect([...text.matchAll(/! (.*)/g)].map(([, line]) => stripVTControlCharacters(line!))).toEqual(expected);
    const shown = [...html.matchAll(/<section class="warnings">(.*?)<\/section>/gs)].map(([, all]) => all!);
    expect([...shown.join('').matchAll(/<p>(.*?)<\/p>/g)].map(([, line]) => line)).toEqual(expected);
  });

  it('sends no reminder during quiet hours, and none of completed homework', () => {
    const { reminders, sessions, messages } = played.simulation;
    const toClient = messages
      .filter(({ recipient }) => recipient === 'CLIENT')
      .map(({ at }) => localTime(at, 'Europe/London'));
    expect(toClient.filter((time) => time < '08:00' || time >= '21:00')).toEqual([]);
    // The Care Provider has no quiet hours, and is reminded two hours before each Session.
    const toCareProvider = messages.filter(({ recipient }) => recipient === 'CARE_PROVIDER');
    expect(toCareProvider.filter(({ at }) => localTime(at, 'Europe/London') === '07:30')).toHaveLength(12);
    const doneAt = new Map(
      sessions.flatMap(({ homework }) => homework.map(({ id, completedAt }) => [id, completedAt])),
    );
    for (const { status, reason, homeworkId, dueAt } of reminders) {
      const done = doneAt.get(homeworkId ?? 0) ?? null;
      if (status === 'WITHDRAWN')
        expect({ reason, inTime: done! <= dueAt }).toEqual({ reason: 'HOMEWORK_DONE', inTime: true });
    }
    expect([...doneAt.values()].filter((done) => done !== null)).toHaveLength(14);
  });

  it('prints all events to the terminal', () => {
    expect(played.errors.split('\n').filter((line) => line.includes('of 84 reminders'))).toHaveLength(12);
    expect(played.text).toContain('  Sun 28 Mar  02:00  ↷ Europe/London: clocks go from +00:00 to +01:00\n');
    expect(played.text).toContain('■ Session 5: Sleep session +01:00 · homework: Worry time, Thought record\n');
    expect(played.text).toMatch(/Thu 11 Mar {2}21:30 {2}◐ deferred {2}Client .* Fri 12 Mar 08:00, quiet hours\n/);
    expect(played.text).toMatch(/○ withdrawn Client .* Tue 2 Mar 17:45, the homework is done\n/);
    expect(played.text.trimEnd().split('\n').at(-1)).toBe(
      '12 Sessions, 12 completed · 14 of 24 Books done · 84 reminders: 72 sent (15 of them deferred), 12 withdrawn · 72 messages',
    );
  });

  it('writes a self-contained page with a symbol for each reminder', () => {
    const { html } = played;
    expect(faultsOf('<p><b></p><script>')).toEqual(['</p>', 'p', 'script', '<script']);
    expect(faultsOf(html)).toEqual([]);
    expect(html).toMatch(/<svg [^>]*role="img" aria-labelledby="picture-title picture-description"/);
    const picture = html.slice(html.indexOf('<title id="picture-title">'), html.indexOf('</figure>'));
    const marks = (name: string) => picture.split(`class="${name}"`).length - 1;
    expect({
      sessions: marks('session'),
      sent: marks('mark sent'),
      deferred: marks('mark deferred'),
      due: marks('mark due'),
      withdrawn: marks('mark withdrawn'),
      done: marks('done'),
      clock: marks('clock'),
    }).toEqual({ sessions: 12, sent: 57, deferred: 15, due: 15, withdrawn: 12, done: 14, clock: 1 });
    expect(html.split('<tr>').length - 1).toBe(1 + 84 + 14);
  });
});

describeOnce('a plan of one’s own', () => {
  it('simulates an exported plan with other Books for a Client in another time zone', async () => {
    const planName = 'Walks & <b>"talks"</b>\u001b[31m';
    const weeks = [4711, 9, 2].map((bookId, index) => ({
      name: `Week ${index}`,
      ordering: index * 10,
      assignments: [{ bookId, assignReminds: [{ reminderDay: 3, time: '20:00' }] }],
    }));
    const plan = {
      planName,
      createdDate: '2026-01-01T00:00:00.000Z',
      appointmentTitle: null,
      appointmentDesc: null,
      template: false,
      weeks,
    };
    const file = await planFile({ format: 'care-scheduling/design-plan', formatVersion: 1, plan });
    const given = ['--client', '4', '--zone', 'Australia/Sydney', '--from', '2027-03-08', '--time', '16:00'];
    const wishes = ['--quiet-hours', 'none', '--cancel', '2', '--homework-done', '0', '--remind', 'PT1H'];
    const { simulation, html, text } = await play(file, ...given, ...wishes);
    expect(simulation.sessions.map(({ startsAt, status }) => [startsAt.slice(5, 16), status])).toEqual([
      ['03-09T00:00', 'COMPLETED'],
      ['03-15T23:00', 'CANCELLED'],
      ['03-22T23:00', 'COMPLETED'],
    ]);
    expect(simulation.reminders.filter(({ status }) => status === 'WITHDRAWN').map(({ reason }) => reason)).toEqual(
      Array.from({ length: 3 }, () => 'SESSION_CANCELLED'),
    );
    expect(text).toContain('homework: Book 4711');
    expect(text).toContain('homework: Breathing exercises');
    expect(text).toContain('↷ America/Los_Angeles: clocks go from -08:00 to -07:00');
    expect(text).not.toContain('\u001b');
    expect(faultsOf(html)).toEqual([]);
    expect(html).not.toContain('<b>"talks"');
  });

  it('simulates an exported template', async () => {
    const plan = { planName: 'T', template: true, weeks: [{}, {}] };
    const file = await planFile({ format: 'care-scheduling/design-plan', formatVersion: 1, plan });
    const { simulation } = await play(file, '--remind', 'none');
    expect(simulation.sessions).toHaveLength(2);
  });

  it('shows when a reminder is sent that quiet hours would defer until the Session', async () => {
    const given = ['--client', '1', '--from', '2027-03-01', '--time', '08:00', '--weeks', '1', '--remind', 'PT30M'];
    const { text } = await play(...given, '--quiet-hours', '22:00-07:45');
    expect(text).toMatch(/Mon 1 Mar {3}07:30 .* Client .* Sun 28 Feb 21:59, before the quiet hours\n/);
  });

  it.each([
    ['{', /^.*plan\.json is not JSON\.\n$/],
    [
      { planName: 'P', weeks: [{ assignments: [{ bookId: 'x' }] }] },
      /plan\.json: \/weeks\/0\/assignments\/0\/bookId must be an integer\n$/,
    ],
    [{ planName: 'P' }, /^The plan has no weeks\.\n$/],
  ])('%j is refused in one line', async (plan, expected) => {
    const { exitCode, text, errors } = await run(await planFile(plan));
    expect([exitCode, text]).toEqual([1, '']);
    expect(errors.replace('Starting the service …\n', '')).toMatch(expected);
  });
});

describe('the command line', () => {
  it('prints its options', async () => {
    const { exitCode, text, errors } = await run('--help');
    expect([exitCode, errors]).toEqual([0, '']);
    expect(text).toContain('--quiet-hours 21:00-08:00');
  });

  it.each([
    [['--bogus'], "Unknown option '--bogus'. See --help."],
    [['--html'], "Option '--html <value>' argument missing. See --help."],
    [['a', 'b'], 'Pass one FILE only.'],
    [['missing.json'], 'missing.json cannot be read (ENOENT).'],
    [['--from', '2027-02-30'], '--from must be a real date before 9000, such as 2027-03-01, not "2027-02-30".'],
    [['--from', '9999-12-01'], '--from must be a real date before 9000, such as 2027-03-01, not "9999-12-01".'],
    [['--time', '25:00'], '--time must be a time such as 09:30, not "25:00".'],
    [['--client', 'one'], '--client must be a positive whole number, not "one".'],
    [['--zone', ''], '--zone must be a time zone such as Europe/London, not "".'],
    [['--zone', 'Mars'], '--zone must be a time zone such as Europe/London, not "Mars".'],
    [['--weeks', '0'], '--weeks must be a positive whole number, not "0".'],
    [['--remind', '1d'], '--remind must be durations such as P1D,PT2H, or none, not "1d".'],
    [['--quiet-hours', '9-10'], '--quiet-hours must be two times such as 21:00-08:00, or none, not "9-10".'],
    [['--homework-done', '120%'], '--homework-done must be a share from 0% to 100%, not "120%".'],
  ])('%j is refused in one line', async (args, line) => {
    expect(await run(...args)).toEqual({ exitCode: 1, text: '', errors: `${line}\n` });
  });
});
