import type { Browser } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

describeInBrowser('the calendar links of a Client', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  it('are created with a QR code, shown once, and revoked, with the keyboard', async () => {
    const visitor = await ConsolePage.open(browser, app, { viewport: { width: 390, height: 844 } });
    const { page } = visitor;
    await visitor.signInAs('Client 1');
    await visitor.goTo('/calendar');
    await page.getByText('Without titles').or(page.getByText('With titles')).first().waitFor();
    const before = await page.getByRole('button', { name: 'Revoke' }).count();
    await page.getByRole('button', { name: 'Create a link' }).press('Enter');
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
    const url = await page.getByLabel('Link', { exact: true }).inputValue();
    const feed = await fetch(url);
    expect([feed.status, feed.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/calendar')]);
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.getByRole('button', { name: 'I have it' }).press('Enter');
    await page.getByLabel('Link', { exact: true }).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(url);
    expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(before + 1);
    // The list begins with the oldest link, so `last` is the newest one.
    await page.getByRole('button', { name: 'Renew' }).last().press('Enter');
    await page.getByText('The link works for another year.').waitFor();
    await page.getByRole('button', { name: 'New secret' }).last().press('Enter');
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
    const rotated = await page.getByLabel('Link', { exact: true }).inputValue();
    expect(rotated).not.toBe(url);
    for (const link of [url, rotated]) expect((await fetch(link)).status).toBe(200);
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.getByRole('button', { name: 'I have it' }).press('Enter');
    await page.getByRole('button', { name: 'Revoke' }).last().press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter');
    await page.getByText('The link was revoked.').waitFor();
    for (const link of [url, rotated]) expect((await fetch(link)).status).toBe(404);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  it('are no longer shown after they have been revoked', async () => {
    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    await visitor.signInAs('Client 1');
    await visitor.goTo('/calendar');
    await visitor.settle();
    const revoke = page.getByRole('button', { name: 'Revoke' });
    const before = await revoke.count();
    await page.getByRole('button', { name: 'Create a link' }).click();
    const url = await page.getByLabel('Link', { exact: true }).inputValue();
    await revoke.nth(before).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The link was revoked.').waitFor();
    expect((await fetch(url)).status).toBe(404);
    await page.getByRole('button', { name: 'Create a link' }).waitFor();
    expect(await page.getByLabel('Link', { exact: true }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  it('can be revoked while another one is being revoked', async () => {
    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    await visitor.signInAs('Client 1');
    await visitor.goTo('/calendar');
    for (let count = 0; count < 2; count += 1) {
      await page.getByRole('button', { name: 'Create a link' }).click();
      await page.getByRole('button', { name: 'I have it' }).click();
    }
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/calendar-link/*', async (route) => {
      await isReleased;
      await route.continue();
    });
    const revoke = page.getByRole('button', { name: 'Revoke' });
    await visitor.settle();
    await revoke.last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.locator('button[aria-busy=true]').waitFor();
    await page.keyboard.press('Escape');
    const before = await revoke.count();
    await revoke.nth(before - 2).click();
    await page.getByRole('dialog').waitFor();
    release(undefined);
    await page.getByText('The link was revoked.').waitFor();
    await visitor.settle();
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  it('tell if the browser refuses to copy', async () => {
    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    await visitor.signInAs('Client 1');
    await visitor.goTo('/calendar');
    await page.getByRole('button', { name: 'Create a link' }).click();
    await page.evaluate(
      `navigator.clipboard.writeText = () => Promise.reject(new DOMException('No', 'NotAllowedError'))`,
    );
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.locator('.toast-danger', { hasText: 'copy it by hand' }).waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });
});
