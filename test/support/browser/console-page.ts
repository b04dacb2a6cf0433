import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { DemonstrationApp } from '../app/demonstration-app.js';
import { ShiftedDemonstrationClock } from '../app/shifted-demonstration-clock.js';
import { testEnvironment } from '../app/test-environment.js';

/**
 * The time at which each demonstration starts: a Monday evening in London, because its records depend on the weekday.
 */
export const CONSOLE_TIME = '2026-11-23T22:00:00Z';

/** Starts the service with the demonstration and its tokens, as `npm start` does on a developer's machine. */
export async function startConsole(): Promise<DemonstrationApp & { time: string }> {
  const key = { kind: 'generated', dataDir: 'memory:' } as const;
  const change = { token: { ...testEnvironment.token, key } };
  const app = await DemonstrationApp.start(undefined, new ShiftedDemonstrationClock(CONSOLE_TIME), change);
  return Object.assign(app, { time: CONSOLE_TIME });
}

/**
 * A page of the console in a browser. Collects all errors that the browser reports, such as violations of the content
 * security policy.
 */
export class ConsolePage {
  readonly complaints: string[] = [];
  /** URLs of all requests, in order. */
  readonly urls: string[] = [];
  private ended = 0;

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    private readonly url: string,
  ) {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('request', (request) => {
      this.urls.push(request.url());
      if (!request.url().startsWith(url)) this.complaints.push(`request to ${request.url()}`);
    });
    page.on('requestfinished', () => (this.ended += 1));
    page.on('requestfailed', () => (this.ended += 1));
  }

  /**
   * Opens the console as a visitor who is not signed in.
   *
   * @param time the time at which the browser's clock stands still; undefined if the clock runs
   */
  static async open(
    browser: Browser,
    { url, time }: { url: string; time?: string },
    options: BrowserContextOptions = {},
  ): Promise<ConsolePage> {
    const context = await browser.newContext({
      locale: 'en-GB',
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    });
    if (time !== undefined) await context.clock.setFixedTime(time);
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const opened = new ConsolePage(page, context, url);
    await page.goto(url);
    return opened;
  }

  /**
   * @param person a person of the demonstration: `Clinic 1`, `Care Provider 1`, `Care Provider 2`, `Client 1` or
   * `Administrator`
   */
  async signInAs(person: string): Promise<void> {
    await this.page.getByRole('button', { name: new RegExp(`^${person} `) }).click();
    await this.page.getByRole('button', { name: `Signed in as ${person}`, exact: true }).waitFor();
  }

  /** @param route a route such as `/my-care` */
  async goTo(route: string): Promise<void> {
    await this.page.goto(`${this.url}/#${route}`);
  }

  /**
   * Waits until the page has finished its own requests. Tests must call this before they record requests or expect that
   * something is absent. Otherwise, they would see requests that the previous page is still making.
   */
  async settle(): Promise<void> {
    let before: number;
    do {
      before = this.urls.length;
      await this.page.locator('.skeleton').first().waitFor({ state: 'detached' });
      await this.page.evaluate(AFTER_EFFECTS);
    } while (this.urls.length !== before || this.ended < this.urls.length);
  }

  /** Waits until the page has settled, then returns a list to which the URL of each later API call is added. */
  async recordCalls(): Promise<string[]> {
    await this.settle();
    const calls: string[] = [];
    this.page.on('request', (request) => {
      if (request.url().includes('/gateway/')) calls.push(request.url());
    });
    return calls;
  }

  /**
   * Returns the accessibility rules that the page violates in its current state, in light and dark colours. A list that
   * still shows the previous filter's rows is pale on purpose, so this waits for the new rows.
   */
  async listAxeViolations(): Promise<string[]> {
    await this.page.locator(':not(button)[aria-busy="true"]').first().waitFor({ state: 'detached' });
    // axe is run through the debugger, because the policy of the page refuses other scripts.
    if (!(await this.page.evaluate<boolean>(`'axe' in window`)))
      await this.page.evaluate(`${await readAxe()}; undefined`);
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // All rules run. Without `resultTypes`, axe also describes each element that breaks none.
      found.push(
        ...(await this.page.evaluate<string[]>(
          `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
             nodes.map(({ target }) => '${colorScheme} ' + id + ' ' + target.join(' '))))`,
        )),
      );
    }
    return found;
  }

  /** Returns everything that the browser has stored for the console. */
  async readStorage(): Promise<string> {
    const stored = await this.page.evaluate<string>(
      `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, await indexedDB.databases(),
         await caches.keys(), document.cookie, location.href, history.state]))()`,
    );
    return stored + JSON.stringify(await this.context.cookies());
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/**
 * Waits until the components have run their effects, which start requests after the frame in which they were rendered.
 */
const AFTER_EFFECTS = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))`;

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const readAxe = () => readFile(axe, 'utf8');
