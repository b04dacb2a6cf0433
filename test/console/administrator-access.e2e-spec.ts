import type { Browser } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

const REASON = 'Support ticket 4711 <b>bold</b>';

describeInBrowser('the access of an administrator to the data of a Clinic', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  async function callAsAdmin(method: string, path: string, body?: object, headers: object = {}): Promise<Response> {
    const token = await fetch(`${app.url}/docs/demonstration-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ caller: 'Administrator' }),
    });
    const { token: admin } = (await token.json()) as { token: string };
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    return fetch(app.url + path, {
      method,
      headers: { authorization: `bearer ${admin}`, ...json, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  it('is a banner on each page of the Clinic, which shows what was read, and ends the access', async () => {
    const opened = await callAsAdmin('POST', '/gateway/admin/administrator-access', { clinicId: 1, reason: REASON });
    const { id } = (await opened.json()) as { id: number };
    const header = { 'administrator-access': String(id) };
    const read = () => callAsAdmin('GET', '/gateway/profile/clinic/client/1', undefined, header);
    expect((await read()).status).toBe(200);

    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    await visitor.signInAs('Clinic 1');
    const banner = page.getByRole('status').filter({ hasText: REASON });
    await banner.waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);

    // The page with the filters is open already.
    await visitor.goTo('/audit');
    const filter = page.getByRole('textbox', { name: 'Record' });
    await filter.fill('client/1');
    await page.waitForURL(/record=client%2F1$/);
    await banner.getByRole('link', { name: 'What was read' }).click();
    await page.waitForURL(/record=administrator-access/);
    await page.getByRole('heading', { name: 'Accesses of administrators' }).waitFor();
    await page.getByText('GET /gateway/profile/clinic/client/{id}').first().waitFor();
    expect(await filter.inputValue()).toBe(`administrator-access/${id}`);
    const list = page.getByRole('table', { name: 'Accesses of administrators' });
    expect(await list.getByText('Open', { exact: true }).count()).toBe(1);
    expect(await list.getByText('Expired').count()).toBe(1);
    expect(await visitor.listAxeViolations()).toEqual([]);

    await banner.getByRole('button', { name: 'End now' }).press('Enter');
    await page.getByText('The access has ended.').waitFor();
    await banner.waitFor({ state: 'detached' });
    await list.getByText('Ended by the Clinic').waitFor();
    expect((await read()).status).toBe(403);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  it('is listed also if there have been many accesses since', async () => {
    const path = '/gateway/admin/administrator-access';
    for (let ticket = 1; ticket <= 10; ticket += 1) {
      const opened = await callAsAdmin('POST', path, { clinicId: 1, reason: `Ticket ${ticket}` });
      const { id } = (await opened.json()) as { id: number };
      expect((await callAsAdmin('DELETE', `${path}/${id}`)).ok).toBe(true);
    }
    const visitor = await ConsolePage.open(browser, app);
    const { page } = visitor;
    await visitor.signInAs('Clinic 1');
    await visitor.goTo('/audit');
    const list = page.getByRole('table', { name: 'Accesses of administrators' });
    await list.getByText('Ticket 10', { exact: true }).waitFor();
    // The access of the demonstration is the oldest one.
    expect(await list.getByText('Expired').count()).toBe(0);
    expect(await visitor.listAxeViolations()).toEqual([]);
    const pages = page.getByRole('navigation', { name: 'Pages: Accesses of administrators' });
    await pages.getByRole('button', { name: 'Next' }).press('Enter');
    await list.getByText('Expired').waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  it('is not shown to other roles', async () => {
    const opened = await callAsAdmin('POST', '/gateway/admin/administrator-access', { clinicId: 1, reason: REASON });
    expect(opened.status).toBe(201);
    for (const person of ['Care Provider 1', 'Client 1']) {
      const visitor = await ConsolePage.open(browser, app);
      await visitor.signInAs(person);
      await visitor.page.waitForLoadState('networkidle');
      expect(await visitor.page.getByText(REASON).count()).toBe(0);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    }
  });
});
