import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { ReminderQueue } from '../../src/reminder/index.js';
import type { Role } from '../../src/shared/access/index.js';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { CONSOLE_TIME, ConsolePage, startConsole } from '../support/browser/console-page.js';
import { listConsoleRoutes, DEMONSTRATION_PERSONS } from '../support/browser/console-routes.js';
import {
  nextHostileText,
  HOSTILE_MARK,
  sendAndReadId,
  createHostileImportLines,
  writeHostileTexts,
} from '../support/browser/hostile-texts.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';

/* Tests attacks on the console: hostile texts, hostile pages that embed it, and hostile host names. */

const CLINIC = '/gateway/profile/clinic';

/**
 * The clock advances by this time for each page, because the console reloads data only if it is older than 10 seconds.
 */
const SECONDS_PER_PAGE = 11;
/**
 * Maximum number of statements of all calls that a page makes when it opens. Each call needs BEGIN, the caller, the
 * data, the audit entry and COMMIT.
 */
const MAX_STATEMENTS = 44;

/** Minimum number of dialogs that the pages of a role have. */
const DIALOGS: Readonly<Record<Role, number>> = { CLINIC: 6, CARE_PROVIDER: 4, CLIENT: 0, ADMIN: 1 };

type FirstLoad = { role: Role; route: string; urls: string[] };

describeInBrowser('the console against attacks', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  /** Returns the elements and attributes that the page has created from hostile texts. */
  const findMarkup = ({ page }: ConsolePage) =>
    page.evaluate<string[]>(`[
      ...(window.${HOSTILE_MARK} === undefined ? [] : ['ran ' + window.${HOSTILE_MARK}]),
      ...[...document.querySelectorAll('img[src="x"], iframe, base, form[action], [formaction], [srcdoc], math')]
        .map((element) => element.outerHTML),
      ...[...document.querySelectorAll('*')].flatMap((element) => [...element.attributes])
        .filter(({ name, value }) => /^on/.test(name) || (/^(href|src|action)$/.test(name) && /^\\s*javascript:/i.test(value)))
        .map(({ name, value }) => name + '=' + value),
    ]`);

  /** Signs in, opens each page of the person, and unfolds everything that is folded on it. */
  async function visitAll(person: string, role: Role): Promise<{ seen: string; loads: FirstLoad[] }> {
    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    const { urls } = visitor;
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => visitor.complaints.push('dialog')));
    await visitor.signInAs(person);
    await visitor.settle();
    const [seen, links, loads]: [string[], string[], FirstLoad[]] = [[], [], []];
    const patterns = await listConsoleRoutes(app, role);
    // After sign-in, the first page is already open.
    let [path, before, dialogs] = [patterns[0]!, 0, 0];
    for (const pattern of patterns) {
      const shape = new RegExp(`^${pattern.replace(/:\w+/g, '\\d+')}(\\?|$)`);
      const linked = pattern.includes(':') ? links.find((link) => shape.test(link)) : pattern;
      const route = linked ?? pattern.replace(/:\w+/g, '1');
      if (route !== path) before = urls.length;
      await visitor.context.clock.setFixedTime(
        Temporal.Instant.from(CONSOLE_TIME)
          .add({ seconds: SECONDS_PER_PAGE * (loads.length + 1) })
          .toString(),
      );
      const isOther = route.split('?')[0] !== path.split('?')[0];
      if (isOther) await page.evaluate("document.querySelector('h1')?.setAttribute('data-before', '')");
      await visitor.goTo(route);
      await page
        .locator(isOther ? 'h1:not([data-before])' : 'h1')
        .first()
        .waitFor();
      await visitor.settle();
      path = route;
      loads.push({ role, route, urls: urls.slice(before).filter((url) => url.includes('/gateway/')) });
      await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
      await visitor.settle();
      const read =
        "[...document.querySelectorAll('a[href^=\"#/\"]')].map((link) => link.getAttribute('href').slice(1))";
      links.push(...(await page.evaluate<string[]>(read)));
      seen.push(await page.evaluate<string>('document.body.innerText'));
      expect([route, ...(await findMarkup(visitor))]).toEqual([route]);
      dialogs += await openDialogs(visitor, route);
    }
    // An administrator has no Sessions, and a Client's pages have no dialogs with records.
    expect(dialogs).toBeGreaterThanOrEqual(DIALOGS[role]);
    if (role === 'CLINIC') await importHostileFile(visitor);
    expect(visitor.complaints).toEqual([]);
    expect(urls.filter((url) => url.includes('eyJ') || url.includes(HOSTILE_MARK))).toEqual([]);
    expect(await visitor.readStorage()).not.toMatch(new RegExp(`eyJ|${HOSTILE_MARK}`));
    await visitor.close();
    return { seen: seen.join(' '), loads };
  }

  /**
   * Opens a record of each kind with hostile text, and the dialogs that it leads to. Returns the number of opened
   * dialogs.
   */
  async function openDialogs(visitor: ConsolePage, route: string): Promise<number> {
    const { page } = visitor;
    const dialog = page.getByRole('dialog');
    if ((await dialog.count()) > 0) return 0;
    let opened = 0;
    const look = async () => {
      await dialog.first().waitFor();
      await visitor.settle();
      expect([route, ...(await findMarkup(visitor))]).toEqual([route]);
      opened += 1;
    };
    for (const opener of [
      // The last Session is used, because the first one is cancelled and cannot be moved.
      page.locator('.week-event', { hasText: HOSTILE_MARK }).last(),
      page.getByRole('button', { name: new RegExp(`^(Change|Why: reminder to) [^]*${HOSTILE_MARK}`) }),
      page.getByRole('button', { name: /^(Week|Session) \d/ }),
      page.getByRole('button', { name: /^(Move…|Skip a week…|Newer plan…|Use a plan of the Clinic|New Session)$/ }),
    ]) {
      if ((await opener.count()) === 0) continue;
      await opener.first().click();
      await look();
      const move = dialog.getByRole('button', { name: 'Move…' });
      if ((await move.count()) > 0) {
        await move.click();
        await look();
      }
      await page.keyboard.press('Escape');
      await dialog.first().waitFor({ state: 'detached' });
      await visitor.settle();
    }
    return opened;
  }

  /** Imports a file with hostile lines and a hostile name, and shows the result of each line. */
  async function importHostileFile(visitor: ConsolePage): Promise<void> {
    const { page } = visitor;
    await visitor.goTo('/directory');
    await page.getByRole('button', { name: 'Import' }).click();
    const buffer = Buffer.from(`${createHostileImportLines()}${nextHostileText()}\n`);
    const file = { name: `"><img src=x onerror=window.${HOSTILE_MARK}=1>.ndjson`, mimeType: 'text/plain', buffer };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Import them' }).click();
    await page.getByText('The import is complete.').waitFor();
    expect(await page.getByRole('dialog').innerText()).toContain(HOSTILE_MARK);
    expect(await findMarkup(visitor)).toEqual([]);
  }

  /**
   * Counts the statements of the calls that each page makes when it opens. The calls are repeated one after another.
   */
  async function countStatements(
    loads: readonly FirstLoad[],
  ): Promise<{ page: string; calls: number; statements: number }[]> {
    const counts = new Map<string, number>();
    let statements = 0;
    // Stops the queue, because the statements of its polling and deliveries would be counted as well.
    await app.nest.get(ReminderQueue).stop();
    const untap = await interceptStatements(app, { before: () => void (statements += 1) });
    for (const { role, urls } of loads)
      for (const url of new Set(urls)) {
        if (counts.has(`${role} ${url}`)) continue;
        statements = 0;
        const headers = { authorization: `bearer ${await app.createToken(role)}` };
        expect((await fetch(url, { headers })).status).toBe(200);
        counts.set(`${role} ${url}`, statements);
      }
    untap();
    return loads.map(({ role, route, urls }) => {
      const sum = urls.reduce((total, url) => total + counts.get(`${role} ${url}`)!, 0);
      return { page: `${role} ${route}`, calls: urls.length, statements: sum };
    });
  }

  it('shows hostile text of every record as text on every page, each with at most 4 calls', async () => {
    await writeHostileTexts(app);
    const visits = await Promise.all(DEMONSTRATION_PERSONS.map(([person, role]) => visitAll(person, role)));
    // The hostile texts were on the pages, so the test has opened the right records.
    for (const { seen } of visits) expect(seen).toContain(HOSTILE_MARK);
    const pages = await countStatements(visits.flatMap(({ loads }) => loads));
    const lines = pages.map(({ page, calls, statements }) => `${page}: ${calls} calls, ${statements} statements\n`);
    process.stdout.write(`First load of each page\n${lines.join('')}`);
    expect(pages.filter(({ calls, statements }) => calls > 4 || statements > MAX_STATEMENTS)).toEqual([]);
  });

  it('refuses a link that is no web address', async () => {
    for (const link of [
      `javascript:window.${HOSTILE_MARK}=1`,
      `data:text/html,<script>window.${HOSTILE_MARK}=1</script>`,
    ])
      await expect(sendAndReadId(app, 'CLINIC', 'POST', `${CLINIC}/book`, { title: 'Book', link })).rejects.toThrow(
        /40\d|422/,
      );
  });

  it('cannot be framed by another page', async () => {
    const attacker: Server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<iframe src="${app.url}/"></iframe>`),
    ).listen(0, '127.0.0.1');
    try {
      const page = await browser.newPage();
      const refusals: string[] = [];
      page.on('console', (message) => refusals.push(message.text()));
      await page.goto(`http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`, { waitUntil: 'load' });
      const frame = page.frames()[1]!;
      expect(await frame.evaluate("document.querySelectorAll('#console').length").catch(() => 0)).toBe(0);
      expect(refusals.join()).toMatch(/frame-ancestors|X-Frame-Options/i);
      await page.close();
    } finally {
      attacker.close();
    }
  });

  it('gives no demonstration token to a page of another host name of this machine', async () => {
    const port = new URL(app.url).port;
    // Browsers resolve names below `localhost` to this machine. In DNS rebinding, the attacker's name server does the
    // same.
    const rebound = `http://rebound.localhost:${port}`;
    const visitor = await ConsolePage.open(browser, { url: rebound });
    await visitor.page.getByRole('heading', { name: 'Sign-in needs an identity provider' }).waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    const ask = (method: string) =>
      visitor.page.evaluate<number>(
        `fetch('/docs/demonstration-token', { method: '${method}' }).then(({ status }) => status)`,
      );
    expect([await ask('GET'), await ask('POST')]).toEqual([404, 404]);
    await visitor.close();
  });

  it('reads again when the tab is looked at: 304 while nothing has changed, and what another browser has changed', async () => {
    const [one, other] = [await ConsolePage.open(browser, app), await ConsolePage.open(browser, app)];
    await one.page.clock.install();
    for (const visitor of [one, other]) {
      await visitor.signInAs('Client 1');
      await visitor.page.getByText(/\d+ of \d+ done/).waitFor();
    }
    const progress = one.page.getByText(/\d+ of \d+ done/);
    const before = await progress.innerText();
    const lookAgain = async () => {
      await one.page.clock.fastForward(11_000);
      await one.page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    };
    // Nothing has changed, so the response has no body.
    const unchanged = one.page.waitForResponse((response) => response.status() === 304);
    await lookAgain();
    await unchanged;
    await other.page
      .getByRole('button', { name: /as done$/, pressed: false })
      .first()
      .click();
    await other.page.getByText(before).waitFor({ state: 'detached' });
    await lookAgain();
    await one.page.getByText(before).waitFor({ state: 'detached' });
    expect(await progress.innerText()).toBe(await other.page.getByText(/\d+ of \d+ done/).innerText());
    await one.close();
    await other.close();
  });
});
