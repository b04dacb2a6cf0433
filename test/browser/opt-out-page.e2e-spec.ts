import type { Browser } from 'playwright-core';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';
import { ConsolePage } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/* Tests the pages behind the opt-out link of a message, as a recipient sees them in a browser. */

describeInBrowser('the page behind an opt-out link', () => {
  let app: TestApp;
  let browser: Browser;
  let clinic: ClinicFixture;
  let path: string;
  beforeAll(async () => {
    // With a public URL without TLS, the browser may send the form to the address of this test.
    [app, browser] = await Promise.all([TestApp.start({ publicUrl: 'http://localhost:1' }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });
  beforeEach(async () => {
    app.clock.set('2026-11-21T10:00:00Z');
    app.deliveredMessages.length = 0;
    clinic = await app.createClinic();
    const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', remindDays: 0 };
    await app.call('POST', '/gateway/profile/caregiver/session', { token: clinic.careProviderToken, body });
    await app.deliverDueReminders();
    const message = app.deliveredMessages.find(({ recipient }) => recipient.kind === 'CLIENT')!;
    path = new URL(message.optOutUrl!).pathname;
  });

  it.each([
    [
      'en-GB',
      'This link is for reminders of appointments.',
      'End these reminders',
      'You will not get these reminders any more.',
      'in your reminder preferences',
    ],
    [
      'de-AT',
      'Dieser Link gilt für Erinnerungen an Termine.',
      'Erinnerungen beenden',
      'Sie erhalten diese Erinnerungen nicht mehr.',
      'Einstellungen für Erinnerungen',
    ],
    [
      'es-MX',
      'Este enlace vale para los recordatorios de citas.',
      'Dejar de recibirlos',
      'Ya no recibirá estos recordatorios.',
      'preferencias de recordatorios',
    ],
    [
      'fr-CA',
      'Ce lien concerne les rappels de rendez-vous.',
      'Arrêter ces rappels',
      'Vous ne recevrez plus ces rappels.',
      'préférences de rappels',
    ],
    [
      'pt-BR',
      'This link is for reminders of appointments.',
      'End these reminders',
      'You will not get these reminders any more.',
      'in your reminder preferences',
    ],
  ])('is in the language of the browser: %s', async (locale, about, button, done, undo) => {
    const visitor = await ConsolePage.open(browser, app, { locale, viewport: { width: 320, height: 600 } });
    const { page } = visitor;
    await page.goto(app.url + path);
    expect(await page.getAttribute('html', 'lang')).toBe(locale === 'pt-BR' ? 'en' : locale.slice(0, 2));
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.getByText(about).waitFor();
    await page.getByRole('button', { name: button }).press('Enter');
    await page.getByText(done).waitFor();
    expect(await page.getByRole('main').innerText()).toContain(undo);
    expect(await visitor.listAxeViolations()).toEqual([]);
    // The link in the message shows the same afterwards.
    await page.goto(app.url + path);
    await page.getByText(done).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await visitor.close();
  });

  it.each([
    ['homework', 'This link is for reminders of what you want to do between appointments.'],
    ['all', 'This link is for all reminders.'],
  ])('names the reminders that it ends: %s', async (kinds, about) => {
    const { text } = await app.call('GET', path.replace('/session/', `/${kinds}/`));
    expect(text).toContain(about);
  });

  it('tells in a page that the link does not work any more, and what to do', async () => {
    app.clock.set('2027-02-19T10:00:00Z');
    const visitor = await ConsolePage.open(browser, app, { locale: 'de' });
    const answer = await visitor.page.goto(app.url + path);
    expect([answer!.status(), answer!.headers()['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    await visitor.page.getByText('Dieser Link gilt nicht mehr.').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await visitor.close();
    // A program gets the same problem as for all other operations.
    for (const accept of ['*/*', 'application/json']) {
      const { status, body } = await app.call('POST', path, { headers: { accept } });
      expect([status, body.type]).toEqual([404, 'urn:problem:not-found']);
    }
  });
});
