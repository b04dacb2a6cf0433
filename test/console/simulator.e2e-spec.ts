import type { Browser } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

describeInBrowser('the simulator', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  it('moves the reminders of a week with the keyboard, marks the clock change, and is shared by its address', async () => {
    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    await visitor.signInAs('Clinic 1');
    const calls = await visitor.recordCalls();
    await visitor.goTo('/simulator');
    const week = (number: number) =>
      page.locator('.simulator-week', { has: page.getByRole('heading', { name: `Week ${number}`, exact: true }) });
    await week(2)
      .getByText(/Tue,? 16 Mar 2027, 18:00/)
      .waitFor();
    await week(4).getByText('The clocks have changed').waitFor();
    await week(2).getByRole('button', { name: 'A day later' }).focus();
    await page.keyboard.press('Enter');
    await week(2)
      .getByText(/Wed,? 17 Mar 2027, 18:00/)
      .waitFor();
    await page.getByLabel('Time zone of the Client').fill('Asia/Tokyo');
    await week(2)
      .getByText(/Wed,? 17 Mar 2027, 18:00 Tokyo/)
      .waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    const address = page.url();
    expect(calls).toEqual([]);
    await page.getByRole('button', { name: 'Start again' }).click();
    await week(2)
      .getByText(/Tue,? 16 Mar 2027, 18:00 London/)
      .waitFor();
    await visitor.goTo(new URL(address).hash.slice(1));
    await week(2)
      .getByText(/Wed,? 17 Mar 2027, 18:00 Tokyo/)
      .waitFor();
    // The reminder times of a Clinic's plan are simulated, and nothing else of the plan is in the URL.
    const { body: plans } = await app.get('/gateway/profile/clinic/design-plan?sort=name&limit=1', 'CLINIC');
    const { id, planName } = plans.items[0];
    const { body: own } = await app.get(`/gateway/profile/clinic/design-plan/${id}`, 'CLINIC');
    await page.getByRole('button', { name: 'Use a plan of the Clinic' }).click();
    await page.getByRole('dialog').getByRole('button', { name: planName, exact: true }).waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: planName, exact: true }).click();
    await page.getByText('The times of the plan are used.').waitFor();
    await week(own.weeks.length).waitFor();
    const taken = new URLSearchParams(page.url().split('?')[1]).get('weeks');
    expect(taken?.split('.')).toHaveLength(own.weeks.length);
    expect(decodeURIComponent(page.url())).not.toContain(planName.split(' ')[0]);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  it('starts again without a text that is not valid', async () => {
    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    await visitor.signInAs('Clinic 1');
    await visitor.goTo('/simulator');
    await page.getByLabel('Time zone of the Client').fill('Europ');
    await page.getByText('Choose a time zone such as Europe/London.').waitFor();
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByText('Choose a time zone such as Europe/London.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Time zone of the Client').inputValue()).toBe('Europe/London');
    await visitor.close();
  });

  it('stays on the page that the user has opened while a plan of the Clinic is loaded', async () => {
    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    await visitor.signInAs('Clinic 1');
    await visitor.goTo('/simulator');
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/design-plan/*', async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Use a plan of the Clinic' }).click();
    const request = page.waitForRequest('**/design-plan/*');
    await page.getByRole('dialog').locator('.simulator-plans button').first().click();
    const sent = await request;
    await visitor.goTo('/preferences');
    await page.getByRole('heading', { level: 1, name: 'Reminder preferences' }).waitFor();
    release(undefined);
    expect((await sent.response())!.status()).toBe(200);
    await visitor.settle();
    expect(new URL(page.url()).hash).toBe('#/preferences');
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  it('simulates the quiet hours that it shows, also if both times were the same for a moment', async () => {
    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    await visitor.signInAs('Clinic 1');
    await visitor.goTo('/simulator');
    await page.getByLabel('Quiet until').fill('21:00');
    await page.getByText('Choose another time.').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.getByLabel('Quiet from').fill('20:00');
    await page.waitForURL(/quiet=20%3A00-/);
    await page.getByText('Choose another time.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Quiet until').inputValue()).toBe('21:00');
    expect(new URLSearchParams(page.url().split('?')[1]).get('quiet')).toBe('20:00-21:00');
    await visitor.close();
  });
});
