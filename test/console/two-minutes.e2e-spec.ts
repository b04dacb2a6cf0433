import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/*
 * Tests the first two minutes of a new user. `npm run console:film` saves a screenshot of each step in the directory
 * FILM, at three widths, in light and dark colours.
 */

const FILM = process.env['FILM'];
const WIDTHS = FILM === undefined ? [1440] : [1440, 768, 390];
const THEMES = FILM === undefined ? (['light'] as const) : (['light', 'dark'] as const);
const TAKES = WIDTHS.flatMap((width) => THEMES.map((colorScheme) => [width, colorScheme] as const));

describeInBrowser("a newcomer's two minutes", () => {
  let browser: Browser;
  let app: DemonstrationApp;
  let visitor: ConsolePage;
  let page: Page;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  // Each run changes data, so each has its own demonstration.
  beforeEach(async () => {
    app = await startConsole();
  });
  afterEach(async () => {
    await visitor.close();
    await app.stop();
  });

  it.each(TAKES)('%i px, %s', async (width, colorScheme) => {
    const viewport = { width, height: width < 500 ? 844 : 900 };
    visitor = await ConsolePage.open(browser, app, { viewport, colorScheme });
    ({ page } = visitor);
    let step = 0;
    const film = async (name: string) => {
      step += 1;
      if (FILM === undefined) return;
      mkdirSync(FILM, { recursive: true });
      const file = `${String(step).padStart(2, '0')}-${name}-${width}-${colorScheme}.png`;
      await page.screenshot({ path: join(FILM, file) });
    };
    const press = async (name: string | RegExp) => {
      try {
        await page.getByRole('button', { name }).first().click();
      } catch (error) {
        const shown = await page.locator('body').innerText();
        throw new Error(`No button "${name}" at ${page.url()}, which shows:\n${shown}`, { cause: error });
      }
    };

    await page.getByRole('heading', { name: 'Who would you like to be?' }).waitFor();
    await film('open');
    await visitor.signInAs('Care Provider 1');
    await page.locator('.week-event, .week-row').first().waitFor();
    await film('week');

    await visitor.goTo('/apply-plan');
    await page.getByText('Eight weeks of better sleep').click();
    await page.getByRole('heading', { name: 'Week 8' }).waitFor();
    await film('choose-plan');
    await press('Next');
    await press(/Demo Client 2/);
    await page.getByLabel('First Session').fill('2027-03-22');
    await press('Show what happens');
    await page.getByText(/^8 Sessions · 12/).waitFor();
    await film('dry-run');
    await press('Create the series');
    await page.getByText('Just created').waitFor();
    await film('client');

    await visitor.goTo('/client/1');
    await press('Move…');
    await page.getByLabel('Days').fill('7');
    await page.locator('.client-preview[aria-busy=false] .planned-before').first().waitFor();
    await film('move');
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText(/Sessions were changed/).waitFor();
    await film('moved');

    await change('Care Provider 1', 'Client 1');
    await page.getByText('Your next Session').waitFor();
    await page
      .getByRole('button', { name: /as done$/, pressed: false })
      .first()
      .click();
    await page.getByText('4 of 12 done').waitFor();
    await film('homework');

    await change('Client 1', 'Clinic 1');
    await visitor.goTo('/outbox?tab=failed');
    await press('Why: reminder to Demo Client 1');
    await page.getByRole('dialog').getByText('It was planned for 1 day before the Session starts.').waitFor();
    await film('why');
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The Clinic sent it again.').waitFor();
    await film('sent-again');
    expect(visitor.complaints).toEqual([]);
  });

  async function change(from: string, to: string): Promise<void> {
    await page.getByRole('button', { name: `Signed in as ${from}` }).click();
    await page.getByRole('button', { name: to, exact: true }).click();
    await page.getByRole('button', { name: `Signed in as ${to}`, exact: true }).waitFor();
  }
});
