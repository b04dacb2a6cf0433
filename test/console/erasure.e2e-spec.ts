import type { Browser } from 'playwright-core';
import { createAssignedClient } from '../support/app/demonstration-records.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/*
 * On the record of a Client, the Clinic requests and confirms the erasure, and sets and lifts a legal hold. The reminders
 * show the notices to Care Providers whose Sessions an erasure has cancelled.
 */

describeInBrowser('the erasure of a Client', () => {
  let app: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  const read = async (path: string) => (await app.get(`/gateway/profile/clinic/client/${path}`, 'CLINIC')).body;

  async function openDialog(id: number): Promise<ConsolePage> {
    const clinic = await ConsolePage.open(browser, app);
    await clinic.signInAs('Clinic 1');
    await clinic.goTo(`/client/${id}`);
    await clinic.page.getByRole('button', { name: 'Erase or keep the data…' }).click();
    return clinic;
  }

  it('is prevented by a legal hold until it is lifted', async () => {
    const clinic = await openDialog(1);
    const { page } = clinic;
    await page.getByRole('button', { name: 'Set a legal hold' }).click();
    await page.getByText('The data cannot be erased until it is lifted.').waitFor();
    expect(await page.getByRole('button', { name: 'Request the erasure' }).count()).toBe(0);
    expect(await read('1/legal-hold')).toMatchObject({ isHeld: true, reason: 'LITIGATION' });
    await page.getByRole('button', { name: 'Lift the legal hold' }).click();
    await page.getByRole('button', { name: 'Request the erasure' }).waitFor();
    expect(await read('1/legal-hold')).toMatchObject({ isHeld: false });
    expect(clinic.complaints).toEqual([]);
    await clinic.close();
  });

  it('is requested with a reason, and cannot be confirmed at once', async () => {
    const clinic = await openDialog(2);
    const { page } = clinic;
    await page.getByRole('button', { name: 'Request the erasure' }).waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.getByLabel('Case number').fill(' DSR-7 ');
    await page.getByRole('button', { name: 'Request the erasure' }).click();
    const confirm = page.getByRole('button', { name: 'Erase for good' });
    await confirm.waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    expect(await page.getByText(/^Sessions: \d+$/).count()).toBe(1);
    expect(await page.getByText('A legal hold ends the open request.').count()).toBe(1);
    // The staff of the Clinic confirms the erasure, so the times are those of the Clinic, and not of the Client.
    const { effective } = (await app.get('/gateway/profile/clinic/reminder-preference', 'CLINIC')).body;
    const times = page.getByRole('dialog').locator('time');
    const zones = await times.evaluateAll((all) => all.map((time) => time.title));
    expect(zones).toEqual([effective.timeZone, effective.timeZone]);
    expect(await clinic.listAxeViolations()).toEqual([]);
    const { items } = await read('2/erasure');
    expect(items[0]).toMatchObject({ status: 'REQUESTED', reason: 'SUBJECT_REQUEST', caseReference: 'DSR-7' });
    expect(clinic.complaints).toEqual([]);
    await clinic.close();
  });

  it('can be confirmed as soon as the delay has passed, while the dialog stays open', async () => {
    const id = await createAssignedClient(app, 'Waits For The Delay', 1);
    const clinic = await ConsolePage.open(browser, { url: app.url });
    const { page } = clinic;
    await page.clock.install({ time: app.time });
    await clinic.signInAs('Clinic 1');
    await clinic.goTo(`/client/${id}`);
    await page.getByRole('button', { name: 'Erase or keep the data…' }).click();
    await page.getByRole('button', { name: 'Request the erasure' }).click();
    const confirm = page.getByRole('button', { name: 'Erase for good' });
    await confirm.waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    await page.clock.fastForward('01:01:00');
    await page.locator('button:enabled', { hasText: 'Erase for good' }).waitFor();
    await clinic.close();
  });

  /** Opens the week of a Session as Care Provider 2. */
  async function openWeek(startsAt: string): Promise<ConsolePage> {
    const careProvider = await ConsolePage.open(browser, app);
    await careProvider.signInAs('Care Provider 2');
    await careProvider.goTo(`/week?from=${startsAt.slice(0, 10)}`);
    await careProvider.settle();
    return careProvider;
  }

  it('is confirmed with the counts in view, and erases the Client', async () => {
    const path = '/gateway/profile/clinic/session?clientId=3&status=PAUSED&sort=startsAt';
    const sessions = (await app.get(path, 'CLINIC')).body.items as { id: number; startsAt: string }[];
    const [first] = sessions.filter(({ startsAt }) => startsAt > app.time);
    const before = await openWeek(first!.startsAt);
    expect(await before.page.getByText('Walking and talking').count()).toBeGreaterThan(0);
    await before.close();
    const clinic = await ConsolePage.open(browser, app);
    const { page } = clinic;
    await clinic.signInAs('Clinic 1');
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Change Demo Client 3' }).waitFor();
    await clinic.goTo('/client/3');
    await page.getByRole('button', { name: 'Erase or keep the data…' }).click();
    await page.getByText('Records to be erased:').waitFor();
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByRole('heading', { name: 'Erased' }).waitFor();
    expect(await read('3')).toMatchObject({ name: 'Erased', email: null, active: false });
    expect((await read('3/erasure')).items[0].status).toBe('CONFIRMED');
    await expectNotice(clinic, first!.id);
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Change Erased' }).waitFor();
    expect(await page.getByText('Demo Client 3').count()).toBe(0);
    expect(clinic.complaints).toEqual([]);
    await clinic.close();
    const after = await openWeek(first!.startsAt);
    expect(await after.page.getByText('Walking and talking').count()).toBe(0);
    expect(after.complaints).toEqual([]);
    await after.close();
  });

  /** Expects that the reminders show the notice about a Session: its recipient, its text, and why it is sent. */
  async function expectNotice(clinic: ConsolePage, sessionId: number): Promise<void> {
    const { page } = clinic;
    await clinic.goTo('/outbox');
    await page.locator('summary', { hasText: 'Filters' }).click();
    await page.getByLabel('Session number').fill(String(sessionId));
    await page.getByText('1 reminder', { exact: true }).waitFor();
    const [row] = await page
      .getByRole('row')
      .filter({ hasText: `Session ${sessionId}, cancelled` })
      .all();
    expect(await row!.innerText()).toMatch(/Demo Care Provider 2\s.*its Client was erased\s+Waiting/s);
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Why: reminder to Demo Care Provider 2' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/It tells that the Session on .+ was cancelled, because its Client was erased\./).waitFor();
    await dialog.getByText('The message as it will be sent').click();
    // Without a mail server, the message is the line that the log channel writes.
    await dialog.getByText('Log', { exact: true }).waitFor();
    const message = JSON.parse(await dialog.locator('.outbox-message-text').innerText()) as object;
    expect(message).toMatchObject({ recipientId: 2, sessionIds: expect.arrayContaining([sessionId]) });
    expect(await dialog.innerText()).not.toContain('Demo Client 3');
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.keyboard.press('Escape');
  }
});
