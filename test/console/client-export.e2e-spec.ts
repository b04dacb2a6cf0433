import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { HOSTILE_MARK, writeHostileTexts } from '../support/browser/hostile-texts.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

describeInBrowser('the export of a Client', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  async function download(console: ConsolePage, button: string): Promise<{ name: string; text: string }> {
    const [file] = await Promise.all([
      console.page.waitForEvent('download'),
      console.page.getByRole('button', { name: button }).click(),
    ]);
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
  }

  it('is downloaded by the Client as a page and as a document', async () => {
    const client = await ConsolePage.open(browser, app);
    await client.signInAs('Client 1');
    await client.goTo('/preferences');
    await client.page.getByRole('heading', { name: 'Your data' }).waitFor();
    expect(await client.listAxeViolations()).toEqual([]);
    const page = await download(client, 'Download as a web page');
    expect([page.name, page.text]).toEqual(['client-export.html', expect.stringContaining('End of the export')]);
    const document = await download(client, 'Download as JSON');
    expect([document.name, JSON.parse(document.text)]).toEqual([
      'client-export.json',
      expect.objectContaining({ client: expect.objectContaining({ id: 1 }), isComplete: true }),
    ]);
    expect(client.complaints).toEqual([]);
    await client.close();
  });

  it.each([
    ['de-DE', 'Daten dieses Klienten', 'Als JSON herunterladen'],
    ['es-ES', 'Datos de este cliente', 'Descargar como JSON'],
    ['fr-FR', 'Données de ce client', 'Télécharger en JSON'],
  ])(
    'is on the record of a Client for the Clinic, in the language of the browser: %s',
    async (locale, title, button) => {
      const clinic = await ConsolePage.open(browser, app, { locale });
      await clinic.page.getByRole('button', { name: /^(Klinik|Clínica|Clinique) 1 / }).click();
      await clinic.goTo('/client/2');
      await clinic.page.getByRole('heading', { name: title }).waitFor();
      const { text } = await download(clinic, button);
      expect(JSON.parse(text)).toMatchObject({ client: { id: 2 }, isComplete: true });
      expect(clinic.complaints).toEqual([]);
      await clinic.close();
    },
  );

  it('is not offered to a Care Provider', async () => {
    const careProvider = await ConsolePage.open(browser, app);
    await careProvider.signInAs('Care Provider 1');
    await careProvider.goTo('/client/1');
    await careProvider.page.getByText('Recent reminders').waitFor();
    expect(await careProvider.page.getByRole('button', { name: 'Download as JSON' }).count()).toBe(0);
    await careProvider.close();
  });

  it('as a page runs and loads nothing that people have written, also from the disk', async () => {
    await writeHostileTexts(app);
    const token = await app.createToken('CLINIC');
    const headers = { authorization: `bearer ${token}`, accept: 'text/html' };
    const response = await fetch(`${app.url}/gateway/profile/clinic/client/1/export`, { headers });
    const html = await response.text();
    expect(html).toContain(`window.${HOSTILE_MARK}`);
    const context = await browser.newContext();
    const page = await context.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    // The page is served without the headers of the service, to test the policy that the page itself contains.
    await page.route('**/saved.html', (route) =>
      route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }),
    );
    await page.goto('http://saved.example/saved.html');
    await page.getByText('End of the export').waitFor();
    expect(await page.evaluate<unknown>(`window.${HOSTILE_MARK}`)).toBeUndefined();
    expect([requests, complaints]).toEqual([['http://saved.example/saved.html'], []]);
    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector('dl')).display`)).toBe('grid');
    await context.close();
  });
});
