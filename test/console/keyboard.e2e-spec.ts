import type { Browser, Page } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { Keyboard } from '../support/browser/keyboard.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/*
 * Tests typical work of a Clinic's people across pages with the keyboard alone: Tab, Shift+Tab, Enter, Space, arrow
 * keys, Escape and typing.
 */

describeInBrowser('the console with the keyboard alone', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  let visitor: ConsolePage;
  let page: Page;
  let keys: Keyboard;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });
  beforeEach(async () => {
    visitor = await ConsolePage.open(browser, app, { viewport: { width: 1440, height: 900 } });
    ({ page } = visitor);
    keys = new Keyboard(page);
  });
  afterEach(async () => {
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const inDialog = (name: string | RegExp) => page.getByRole('dialog').getByRole('button', { name });
  const signIn = async (person: string) => {
    await keys.press(button(new RegExp(`^${person} `)));
    await button(`Signed in as ${person}`).waitFor();
  };
  const openPage = async (name: string) => {
    const link = page.getByRole('navigation').getByRole('link', { name, exact: true });
    await keys.goTo(link, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.locator('h1:focus').waitFor();
  };

  it('lets a Care Provider move a Session and apply a plan', async () => {
    await signIn('Care Provider 1');
    await keys.press(button('Next week'));
    // Waits, because the board shows the previous week until it has loaded this one.
    await visitor.settle();
    const session = page.locator('.week-event', { hasText: 'Client 1' });
    await keys.press(session);
    await page.getByRole('dialog', { name: 'Demo Client 1' }).waitFor();
    await page.keyboard.press('Escape');
    await keys.expectFocusIn('.week-event');
    await page.keyboard.press('Enter');
    await keys.press(inDialog('Move…'));
    await keys.type(page.getByRole('dialog').getByLabel('Start'), '1620');
    await page.getByText('What changes', { exact: true }).waitFor();
    await keys.press(inDialog('Move 1 Session'));
    await page.getByText('Moved 1 Session.').waitFor();
    await session.getByText('16:20').waitFor();
    await keys.expectFocusIn('.week-event');

    await openPage('Apply a plan');
    await keys.press(page.getByRole('radio', { name: /^Eight weeks of better sleep/ }), 'Space');
    await page.getByRole('heading', { name: 'Week 8' }).waitFor();
    await keys.press(button('Next'));
    await keys.press(button(/^Demo Client 2/));
    await keys.expectFocusIn('.session-form-client');
    // In this Chromium, a date field begins with the month.
    await keys.type(page.getByLabel('First Session'), '03222027');
    await keys.press(button('Show what happens'));
    await page.getByText(/^8 Sessions · 12/).waitFor();
    await keys.press(button('Create the series'));
    await page.getByText('Just created').waitFor();
    await keys.expectFocusIn('main');
  });

  it('shows another week only when the date has been typed, and two weeks on when asked twice', async () => {
    await signIn('Care Provider 1');
    await visitor.settle();
    const weeks: (string | null)[] = [];
    await page.route('**/week?*', async (route) => {
      weeks.push(new URL(route.request().url()).searchParams.get('from'));
      // The next key is pressed before this response arrives.
      if (weeks.length === 2) await visitor.page.waitForURL(/from=2027-07-19/);
      await route.continue();
    });
    // In this Chromium, a date field begins with the month.
    await keys.type(page.getByLabel('Go to the week of'), '07072027');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '5 – 11 July 2027' }).waitFor();
    expect(weeks).toEqual(['2027-07-05']);
    await keys.goTo(button('Next week'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '19 – 25 July 2027' }).waitFor();
    expect(weeks.at(-1)).toBe('2027-07-19');
  });

  it('lets a Client do homework and take it back, and a Clinic ask why a reminder failed, and send it again', async () => {
    await signIn('Client 1');
    await keys.press(page.getByRole('button', { name: /as done$/, pressed: false }));
    await page.getByText('4 of 12 done').waitFor();
    await page.locator('.my-care-check:focus[aria-pressed="true"]').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('3 of 12 done').waitFor();

    await keys.goTo(button('Signed in as Client 1'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await keys.press(page.getByRole('button', { name: 'Clinic 1', exact: true }));
    await button('Signed in as Clinic 1').waitFor();
    await page.locator('h1:focus').waitFor();
    await openPage('Reminders');
    await keys.goTo(page.getByRole('radio', { name: 'Due', exact: true }));
    const failed = page.getByRole('radio', { name: 'Failed', exact: true });
    while (!(await failed.isChecked())) await page.keyboard.press('ArrowRight');
    await page.getByText(/^1 reminder/).waitFor();
    await keys.press(button('Why: reminder to Demo Client 1'));
    await page.getByRole('dialog').getByText('It was planned for 1 day before the Session starts.').waitFor();
    await keys.press(inDialog('Send again'));
    await page.getByText('The Clinic sent it again.').waitFor();
    await keys.expectFocusIn('dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The row has disappeared from the list, so the focus moves to a nearby element.
    await keys.expectFocusIn('main');
  });

  it('lets a Clinic add a Book to a plan and move it to another week', async () => {
    await signIn('Clinic 1');
    await page.locator('h1:focus').waitFor();
    await openPage('Plans');
    await keys.press(page.getByRole('link', { name: 'Eight weeks of better sleep' }));
    await page.getByText(/^\d open series uses? this plan/).waitFor();
    await keys.press(button('Add Book to week 1'));
    await keys.press(inDialog(/^Worry time/), 'Space');
    await page.keyboard.press('Escape');
    await keys.expectFocusIn('.plan-editor-week');
    const week = (number: number) =>
      page.locator('.plan-editor-week', { has: page.getByText(`Week ${number}`, { exact: true }) });
    const book = (number: number) => week(number).getByRole('button', { name: /^Worry time/ });
    await keys.goTo(book(1), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await keys.press(page.getByRole('dialog').getByLabel('Week'), 'ArrowDown');
    await book(2).waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await book(2).evaluate((element) => element.matches(':focus'))).toBe(true);
    await keys.press(button('Save as revision 2'));
    await page.getByText('Saved as revision 2.').waitFor();
  });
});
