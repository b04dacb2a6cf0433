import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Route } from 'playwright-core';
import type { Role } from '../../src/shared/access/index.js';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { listConsoleRoutes, DEMONSTRATION_PERSONS } from '../support/browser/console-routes.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/*
 * Tests every page of every role in every state: loaded, empty, loading and failed; in all languages, at three widths,
 * from left to right and from right to left. `npm run console:film` saves screenshots in the directory FILM.
 */

const FILM = process.env['FILM'];
const WIDTHS = [1440, 768, 390];
const LANGUAGES = ['English', 'Deutsch', 'Español', 'Français'];
/** Right-to-left layout is tested in one language only, because it does not depend on the texts. */
const DIRECTIONS: Readonly<Record<string, string[]>> = { English: ['ltr', 'rtl'] };
const HEIGHT = 900;
const MAX_ATTEMPTS = 30;
/**
 * Maximum size of the JavaScript that any page needs when it opens, compressed with gzip (docs/adr/0011-console.md).
 */
const MAX_KILOBYTES = 180;

/** A script that returns elements wider than the page, for which a reader would have to scroll sideways. */
const FIND_OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.body.querySelectorAll('*')]
    .filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (left < -1 || right > clientWidth + 1);
    })
    .slice(0, 3)
    .map((element) => element.tagName + '.' + element.className);
})()`;

describeInBrowser('every page of the console', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  const listRoutes = async (role: Role) =>
    (await listConsoleRoutes(app, role)).map((route) => route.replace(/:\w+/g, '1'));
  /**
   * Signs in.
   *
   * @param answer intercepts each call to the API
   */
  const signIn = async (person: string, answer?: (route: Route) => Promise<void>) => {
    const visitor = await ConsolePage.open(browser, app, { viewport: { width: WIDTHS[0]!, height: HEIGHT } });
    if (answer !== undefined) await visitor.page.route('**/gateway/**', answer);
    await visitor.signInAs(person);
    return visitor;
  };
  const resize = async ({ page }: ConsolePage, width: number) => page.setViewportSize({ width, height: HEIGHT });
  const film = async ({ page }: ConsolePage, ...words: (string | number)[]) => {
    if (FILM === undefined) return;
    mkdirSync(FILM, { recursive: true });
    const name = words.join('-').replace(/[^\w-]+/g, '_');
    await page.screenshot({ path: join(FILM, `page-${name}.png`) });
  };

  it('needs at most 180 KB of JavaScript at first', async () => {
    const sizes = new Map<string, { js: number; css: number }>();
    for (const [person, role] of DEMONSTRATION_PERSONS)
      for (const route of await listConsoleRoutes(app, role)) {
        if (route.includes('?') || sizes.has(route)) continue;
        const visitor = await ConsolePage.open(browser, app);
        await visitor.goTo(route.replace(/:\w+/g, '1'));
        await visitor.signInAs(person);
        await visitor.settle();
        sizes.set(route, { js: sumCompressed(visitor.urls, '.js'), css: sumCompressed(visitor.urls, '.css') });
        await visitor.close();
      }
    const toLine = ([route, { js, css }]: [string, { js: number; css: number }]) =>
      `${route}: ${js.toFixed(1)} KB of JavaScript, ${css.toFixed(1)} KB of CSS\n`;
    process.stdout.write(`First load of each page, gzip\n${[...sizes].map(toLine).join('')}`);
    for (const [route, { js, css }] of sizes) {
      expect([route, js > 10, css > 1]).toEqual([route, true, true]);
      expect([route, js <= MAX_KILOBYTES]).toEqual([route, true]);
    }
  });

  describe.each(DEMONSTRATION_PERSONS)('of %s', (person, role) => {
    it('breaks no rule of accessibility in light and dark colours', async () => {
      const visitor = await signIn(person);
      for (const route of await listRoutes(role)) {
        await visitor.goTo(route);
        await visitor.settle();
        expect([route, ...(await visitor.listAxeViolations())]).toEqual([route]);
        for (const width of FILM === undefined ? [] : WIDTHS) {
          await resize(visitor, width);
          for (const colorScheme of ['light', 'dark'] as const) {
            await visitor.page.emulateMedia({ colorScheme });
            await film(visitor, role, route, width, colorScheme);
          }
        }
        await resize(visitor, WIDTHS[0]!);
      }
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    });

    it('fits the screen in all languages and both directions', async () => {
      const visitor = await signIn(person);
      const { page } = visitor;
      const routes = await listRoutes(role);
      const found: string[] = [];
      for (const language of LANGUAGES) {
        await page.locator('.header-end button').first().click();
        await page.getByRole('radio', { name: language }).check();
        await page.keyboard.press('Escape');
        for (const route of routes) {
          await visitor.goTo(route);
          await visitor.settle();
          for (const width of WIDTHS)
            for (const direction of DIRECTIONS[language] ?? ['ltr']) {
              await resize(visitor, width);
              await page.evaluate(`document.documentElement.dir = '${direction}'`);
              const problems = await findOverflow(visitor);
              found.push(...problems.map((problem) => `${language} ${route} ${width} ${direction}: ${problem}`));
              if (width !== 768 && (language !== 'English' || direction === 'rtl'))
                await film(visitor, role, route, width, language, direction);
            }
          await page.evaluate("document.documentElement.dir = 'ltr'");
          await resize(visitor, WIDTHS[0]!);
          // Closes a dialog that the route has opened, because it would cover the menu.
          await page.keyboard.press('Escape');
        }
      }
      expect(found).toEqual([]);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    });

    it('tells that it loads, that there is nothing, and that it failed, and recovers', async () => {
      const routes = await listRoutes(role);
      const [loading, empty, failed] = await Promise.all([
        signIn(person, () => new Promise(() => undefined)),
        signIn(person, fulfillEmpty),
        signIn(person, fulfillFailure),
      ]);
      for (const route of routes) {
        for (const visitor of [loading, empty, failed]) {
          await visitor.goTo(route);
          await visitor.page.locator('h1').first().waitFor();
        }
        await Promise.all([empty.settle(), failed.settle()]);
        for (const [state, visitor] of Object.entries({ loading, empty, failed })) {
          const where = `${state} ${route}`;
          await film(visitor, role, route, state);
          expect([where, ...(await visitor.listAxeViolations())]).toEqual([where]);
        }
        const [isLoading, hasFailed] = await Promise.all([
          loading.page.locator('.skeleton').count(),
          failed.page.getByRole('alert').count(),
        ]);
        // The simulator loads nothing from the service.
        const readsNothing = route === '/simulator';
        expect([route, isLoading > 0, hasFailed > 0]).toEqual([route, !readsNothing, !readsNothing]);
      }
      expect(empty.complaints).toEqual([]);
      await failed.page.unroute('**/gateway/**');
      await failed.goTo('/');
      await failed.settle();
      for (const button of await failed.page.getByRole('button', { name: 'Try again' }).all()) await button.click();
      await failed.page.getByRole('alert').first().waitFor({ state: 'detached' });
      await Promise.all([loading, empty, failed].map((visitor) => visitor.close()));
    });
  });
});

/**
 * Returns elements that are too wide. Waits for the new width first: some pages change to a list, and the calendar
 * measures itself some frames later.
 */
async function findOverflow(visitor: ConsolePage): Promise<string[]> {
  let problems: string[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    await visitor.settle();
    problems = await visitor.page.evaluate<string[]>(FIND_OVERFLOW);
    if (problems.length === 0) break;
  }
  return problems;
}

/** Adds up the compressed sizes of the console's files among the URLs, in KB. */
function sumCompressed(urls: readonly string[], ending: '.js' | '.css'): number {
  const files = new Set(
    urls.flatMap((url) => /\/console\/(assets\/[\w.-]+)$/.exec(url)?.[1] ?? []).filter((file) => file.endsWith(ending)),
  );
  const size = (file: string) => statSync(join('dist/src/console/public', `${file}.gz`)).size;
  return [...files].reduce((sum, file) => sum + size(file), 0) / 1_024;
}

/** Replaces lists in a response with empty ones. Single records are not changed. */
async function fulfillEmpty(route: Route): Promise<void> {
  const response = await route.fetch();
  // With a 304 response, the browser still has the empty list.
  if (response.status() === 304) return route.fulfill({ response });
  const body = (await response.json()) as { items?: unknown[]; sessions?: unknown[]; count?: { value: number } };
  const count = body.count && { count: { ...body.count, value: 0 } };
  const items = body.items && { items: [], nextCursor: null };
  const sessions = body.sessions && { sessions: [] };
  await route.fulfill({ response, json: { ...body, ...items, ...sessions, ...count } });
}

/** Responds with an error that the typed client does not retry. */
function fulfillFailure(route: Route): Promise<void> {
  const problem = { type: 'urn:problem:internal', title: 'Internal error', status: 500, detail: 'It did not work.' };
  return route.fulfill({
    status: 500,
    contentType: 'application/problem+json',
    json: { ...problem, instance: 'urn:uuid:1' },
  });
}
