import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql, type RawBuilder } from 'kysely';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { createAssignedClient, createCareProvider } from '../support/app/demonstration-records.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

describeInBrowser('the pages of a Clinic: reminders, directory, preferences, audit trail', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  let clinic: ConsolePage;
  let calls: string[];
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });
  beforeEach(async () => {
    clinic = await ConsolePage.open(browser, app);
    await clinic.signInAs('Clinic 1');
    calls = await clinic.recordCalls();
  });
  afterEach(() => clinic.close());

  const read = async (path: string) => (await app.get(`/gateway/profile/clinic/${path}`, 'CLINIC')).body;

  it('tells why a reminder failed, and sends it again, with the keyboard', async () => {
    const { page } = clinic;
    await clinic.goTo('/outbox');
    await page.getByText('34 reminders').waitFor();
    await clinic.settle();
    expect(calls.length).toBeLessThanOrEqual(4);
    await page.getByRole('radio', { name: 'Due' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByText('1 reminder', { exact: true }).waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    const why = page.getByRole('button', { name: 'Why: reminder to Demo Client 1' });
    await why.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('It was planned for 1 day before the Session starts.').waitFor();
    const fold = page.getByText('The message as it would be sent');
    await fold.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('The text contains no names').waitFor();
    const [{ body: line }] = (await read('reminder/1/message')).channels;
    expect(JSON.parse(await page.locator('.outbox-message-text').innerText())).toEqual(JSON.parse(line));
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The Clinic sent it again.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing has failed').waitFor();
    expect((await read('reminder/1')).history.map(({ what }: { what: string }) => what)).toContain('REDRIVEN');
    expect(clinic.complaints).toEqual([]);
  });

  it('keeps the focus on the button that has opened the last page of reminders', async () => {
    const { page } = clinic;
    await clinic.goTo('/outbox');
    const next = page.getByRole('button', { name: 'Next', exact: true });
    await next.press('Enter');
    await page.getByText('Page 2', { exact: true }).waitFor();
    await page.locator('.visually-stable[aria-busy="false"]').waitFor();
    await clinic.settle();
    expect(await next.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Previous' }).press('Enter');
    await page.getByText('Page 1', { exact: true }).waitFor();
    expect(clinic.complaints).toEqual([]);
  });

  async function failReminders(which: RawBuilder<unknown>): Promise<void> {
    const em = app.nest.get(MikroORM).em.fork({ session: { role: 'postgres' } });
    const fail = sql`
      update reminder set status = 'DEAD', reason = 'UNDELIVERABLE', settled_at = now() where clinic_id = 1 and ${which}`;
    await em.transactional((one) => fail.execute((one as SqlEntityManager).getKysely()));
  }

  it('goes back from a page of failed reminders when its last one is sent again', async () => {
    const { page } = clinic;
    await app.call('POST', '/gateway/profile/clinic/reminder/redrive?status=DEAD', 'CLINIC');
    await failReminders(sql`id in (select id from reminder where clinic_id = 1 and status = 'PENDING' limit 2)`);
    await page.route('**/clinic/reminder?*limit=25*', (route) =>
      route.continue({ url: route.request().url().replace('limit=25', 'limit=1') }),
    );
    await clinic.goTo('/outbox?tab=failed');
    await page.getByText('2 reminders', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.locator('.visually-stable[aria-busy="false"]').waitFor();
    await clinic.settle();
    await page.getByRole('button', { name: /^Send again to/ }).click();
    await page.getByText('It is being sent again.').waitFor();
    await page.getByText('1 reminder', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Send again to/ }).count()).toBe(1);
    expect(await page.getByText('Nothing has failed').count()).toBe(0);
    expect(clinic.complaints).toEqual([]);
  });

  it('shows in the record of a Client that all failed reminders are sent again', async () => {
    const { page } = clinic;
    await failReminders(sql`recipient_kind = 'CLIENT' and recipient_id = 1 and status = 'SENT'`);
    await clinic.goTo('/client/1');
    const fold = page.locator('details', { has: page.locator('summary', { hasText: 'Recent reminders' }) });
    await fold.locator('summary').click();
    await fold.getByText('Failed', { exact: true }).first().waitFor();
    await clinic.goTo('/outbox?tab=failed');
    await page.getByRole('button', { name: 'Send all again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send all again' }).click();
    await page.getByText(/reminders are being sent again\.$/).waitFor();
    await clinic.goTo('/client/1');
    await fold.locator('summary').click();
    await fold.getByText('Waiting', { exact: true }).first().waitFor();
    await fold.getByText('Failed', { exact: true }).first().waitFor({ state: 'detached' });
    expect(clinic.complaints).toEqual([]);
  });

  it('adds, finds, changes and deactivates a Client, and shows errors at the fields', async () => {
    const { page } = clinic;
    await clinic.goTo('/directory');
    await page.getByText('3 entries').waitFor();
    await clinic.settle();
    expect(calls.length).toBeLessThanOrEqual(4);
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.getByRole('button', { name: 'New Client' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Please fill this in.').waitFor();
    await page.getByLabel('Name').fill('Élodie Example');
    await page.getByLabel('Time zone').fill('Mars/Base');
    await page.keyboard.press('Enter');
    await page.getByText('must be the name of an IANA time zone').waitFor();
    expect(await page.evaluate('document.activeElement.value')).toBe('Mars/Base');
    await page.getByLabel('Time zone').fill('Europe/Paris');
    await page.keyboard.press('Enter');
    await page.getByText('4 entries').waitFor();
    await page.getByRole('searchbox').fill('elodie');
    await page.getByText('1 entry', { exact: true }).waitFor();
    expect(page.url()).not.toContain('lodie');
    await page.getByRole('button', { name: 'Change Élodie Example' }).click();
    await page.getByRole('checkbox', { name: 'Demo Care Provider 2' }).check();
    await page.getByText('Assigned.').waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('There are no upcoming Sessions').waitFor();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('Deactivated.').waitFor();
    const [client] = (await read('client?name=elodie')).items;
    expect(client).toMatchObject({ timeZone: 'Europe/Paris', active: false, careProviderIds: [2] });
    expect(clinic.complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  const OVERLOADED = {
    status: 503,
    contentType: 'application/problem+json',
    json: { type: 'urn:problem:service-unavailable', title: 'No', status: 503, detail: 'Overloaded.', instance: '' },
  };

  async function chooseGerman(): Promise<void> {
    await clinic.page.locator('.header-end button').first().click();
    await clinic.page.getByRole('radio', { name: 'Deutsch' }).check();
    await clinic.page.keyboard.press('Escape');
  }

  it('describes why a record cannot be saved now in the language of the page', async () => {
    const { page } = clinic;
    await page.route('**/clinic/client', (route) =>
      route.request().method() === 'POST' ? route.fulfill(OVERLOADED) : route.continue(),
    );
    await chooseGerman();
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Klient hinzufügen' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Not Now');
    await dialog.getByRole('button', { name: 'Speichern' }).click();
    await dialog.getByRole('alert').getByText('Der Dienst kann nicht antworten').waitFor();
    expect(await dialog.getByText('Overloaded.').count()).toBe(0);
    expect(await clinic.listAxeViolations()).toEqual([]);
  });

  it('describes why a change of a series cannot be shown now in the language of the page', async () => {
    const { page } = clinic;
    await page.route('**/skip-week*', (route) => route.fulfill(OVERLOADED));
    await chooseGerman();
    await clinic.goTo('/client/1');
    await page.getByRole('button', { name: 'Woche auslassen …' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Der Dienst kann nicht antworten').waitFor();
    expect(await dialog.getByText('Overloaded.').count()).toBe(0);
    // Screen readers announce nothing in a region that is busy.
    expect(await dialog.locator('.client-preview').getAttribute('aria-busy')).toBe('false');
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.unroute('**/skip-week*');
    await dialog.getByRole('button', { name: 'Erneut versuchen' }).press('Enter');
    await dialog.locator('.planned-session').first().waitFor();
  });

  it('moves the focus to the first wrong field after each attempt to save a record', async () => {
    const { page } = clinic;
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'New Client' }).click();
    for (const key of ['Enter', 'Space']) {
      await page.getByRole('button', { name: 'Save' }).press(key);
      await page.locator('input[aria-invalid]:focus').waitFor();
    }
    expect(await page.getByLabel('Name', { exact: true }).evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(clinic.complaints).toEqual([]);
  });

  it('keeps what the user has entered if a deactivation or a reassignment is cancelled', async () => {
    const { page } = clinic;
    await clinic.goTo('/directory?of=careProviders');
    await page.getByRole('button', { name: 'Change Demo Care Provider 2' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Another Name');
    for (const action of ['Deactivate', 'Reassign']) {
      await page.getByRole('dialog').getByRole('button', { name: action }).click();
      await page.getByRole('dialog', { name: new RegExp(`^${action}.* Care Provider 2`) }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect(await name.inputValue()).toBe('Another Name');
    }
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(clinic.complaints).toEqual([]);
  });

  it('shows an assignment that has just been saved also after a deactivation is cancelled', async () => {
    const { page } = clinic;
    await createAssignedClient(app, 'Just Assigned', 2);
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Change Just Assigned' }).click();
    const box = page.getByRole('checkbox', { name: 'Demo Care Provider 1' });
    await box.check();
    await page.getByText('Assigned.', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('dialog', { name: /^Deactivate/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await box.waitFor();
    expect(await box.isChecked()).toBe(true);
    expect(clinic.complaints).toEqual([]);
  });

  it('creates a Client once if the response is lost and the user tries again', async () => {
    const { page } = clinic;
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'New Client' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Only Once');
    let isLost = true;
    await page.route('**/clinic/client', async (route) => {
      if (!isLost) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('The service could not be reached').first().waitFor({ timeout: 15_000 });
    isLost = false;
    // The message is shown before the reloads of the failed change have ended. Until then, the button is busy.
    await page.getByRole('dialog').locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await read('client?name=only')).items).toHaveLength(1);
    // The same input in a new form is another Client.
    await page.getByRole('button', { name: 'New Client' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Only Once');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await read('client?name=only')).items).toHaveLength(2);
  });

  it('shows on other pages what has changed in the directory', async () => {
    const { page } = clinic;
    await createAssignedClient(app, 'Former Name', 2);
    await clinic.goTo('/clients');
    await page.getByRole('link', { name: 'Former Name' }).waitFor();
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Change Former Name' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Present Name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await clinic.goTo('/clients');
    await page.getByRole('link', { name: 'Present Name' }).waitFor();
  });

  it('keeps the dialog of another record open when a record has been saved', async () => {
    const { page } = clinic;
    const clientId = await createAssignedClient(app, 'Slowly Changed', 1);
    await createAssignedClient(app, 'Opened Meanwhile', 1);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route(`**/gateway/profile/clinic/client/${clientId}`, async (route) => {
      if (route.request().method() === 'PATCH') await isReleased;
      await route.continue();
    });
    await clinic.goTo('/directory');
    const name = page.getByLabel('Name', { exact: true });
    await page.getByRole('button', { name: 'Change Slowly Changed' }).click();
    await name.fill('Changed At Last');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('button[aria-busy=true]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Change Opened Meanwhile' }).click();
    await name.fill('Half typed');
    release(undefined);
    await page.getByText('Changed At Last').waitFor();
    await clinic.settle();
    expect(await name.inputValue()).toBe('Half typed');
    expect(clinic.complaints).toEqual([]);
  });

  it('reverts each assignment that is refused', async () => {
    const { page } = clinic;
    const clientId = await createAssignedClient(app, 'Refused Assignment', 2);
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Change Refused Assignment' }).click();
    const refused = {
      type: 'urn:problem:unprocessable',
      title: 'No',
      status: 422,
      detail: 'Not active.',
      instance: '',
    };
    const changed = Promise.withResolvers<undefined>();
    await page.route(`**/client/${clientId}/care-provider/1`, async (route) => {
      // The other change is made before this response arrives.
      await changed.promise;
      await route.fulfill({ status: 422, contentType: 'application/problem+json', json: { ...refused, errors: [] } });
    });
    const box = (name: string) => page.getByRole('checkbox', { name });
    await box('Demo Care Provider 1').click();
    await box('Demo Care Provider 2').click();
    changed.resolve(undefined);
    await page.getByText('Not active.').waitFor();
    await page.getByText('The assignment has ended.').waitFor();
    await clinic.settle();
    expect(await box('Demo Care Provider 1').isChecked()).toBe(false);
    expect(await box('Demo Care Provider 2').isChecked()).toBe(false);
  });

  it('saves the last one of two quick changes of an assignment', async () => {
    const { page } = clinic;
    const clientId = await createAssignedClient(app, 'Quick Changes', 2);
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Change Quick Changes' }).click();
    const ended = page.waitForEvent('requestfinished', (request) => request.method() === 'DELETE');
    await page.route(`**/client/${clientId}/care-provider/1`, async (route) => {
      // If both requests are sent at the same time, this one is executed last.
      if (route.request().method() === 'PUT') await Promise.race([ended, new Promise((end) => setTimeout(end, 1_000))]);
      await route.continue();
    });
    const box = page.getByRole('checkbox', { name: 'Demo Care Provider 1' });
    await box.click();
    await box.click();
    await page.getByText('The assignment has ended.').waitFor();
    await clinic.settle();
    expect(await box.isChecked()).toBe(false);
    expect((await read(`client/${clientId}`)).careProviderIds).toEqual([2]);
    expect(clinic.complaints).toEqual([]);
  });

  it('shows both versions if another person has changed the same field', async () => {
    const { page } = clinic;
    await clinic.goTo('/directory?of=careProviders');
    await page.getByRole('button', { name: 'Change Demo Care Provider 2' }).click();
    await page.getByLabel('E-mail').fill('mine@example.org');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stay here' }).click();
    const other = await ConsolePage.open(browser, app);
    await other.signInAs('Clinic 1');
    await other.goTo('/directory?of=careProviders');
    await other.page.getByRole('button', { name: 'Change Demo Care Provider 2' }).click();
    await other.page.getByLabel('E-mail').fill('theirs@example.org');
    await other.page.getByRole('button', { name: 'Save' }).click();
    await other.page.getByText('Saved.').waitFor();
    await other.close();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('theirs@example.org').waitFor();
    // Escape discards neither version: the form is shown again.
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('E-mail').inputValue()).toBe('mine@example.org');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('theirs@example.org').waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await read('care-provider/2')).toMatchObject({ email: 'mine@example.org', version: 3 });
    // Changes to different fields do not conflict, so both are kept.
    await page.getByRole('button', { name: 'Change Demo Care Provider 2' }).click();
    await page.getByLabel('E-mail').fill('again@example.org');
    const path = '/gateway/profile/clinic/care-provider/2';
    await app.call('PATCH', path, 'CLINIC', { locale: 'de' }, { 'if-match': '"3"' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await read('care-provider/2')).toMatchObject({ email: 'again@example.org', locale: 'de', version: 5 });
  });

  it('reassigns some Clients only', async () => {
    const { page } = clinic;
    await clinic.goTo('/directory?of=careProviders');
    await page.getByRole('button', { name: 'Change Demo Care Provider 1' }).click();
    await page.getByRole('button', { name: 'Reassign Clients' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'Only some of the Clients' }).check();
    await dialog.getByLabel('To', { exact: true }).selectOption({ label: 'Demo Care Provider 2' });
    expect(await dialog.getByRole('button', { name: 'Reassign Clients' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Demo Client 2' }).check();
    await dialog.getByText('1 Client chosen').waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Reassign Clients' }).click();
    await page.getByText(/^1 Client and \d+ Sessions? reassigned\.$/).waitFor();
    const clients = (await read('client?limit=3')).items as { careProviderIds: number[] }[];
    expect(clients.map(({ careProviderIds }) => careProviderIds)).toEqual([[1], [2], [2]]);
    expect(clinic.complaints).toEqual([]);
  });

  it('tells what was reassigned also if the response is lost and the user tries again', async () => {
    const { page } = clinic;
    const from = await createCareProvider(app, 'Leaving Soon');
    await createAssignedClient(app, 'Handed Over', from);
    await clinic.goTo('/directory?of=careProviders');
    await page.getByRole('button', { name: 'Change Leaving Soon' }).click();
    await page.getByRole('button', { name: 'Reassign Clients' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('To', { exact: true }).selectOption({ label: 'Demo Care Provider 2' });
    let isLost = true;
    await page.route('**/reassign', async (route) => {
      if (!isLost) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Reassign Clients' }).click();
    await dialog.getByText('The service could not be reached').first().waitFor({ timeout: 15_000 });
    isLost = false;
    // The message is shown before the reloads of the failed change have ended. Until then, the button is busy.
    await dialog.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Reassign Clients' }).click();
    await page.getByText('1 Client and 0 Sessions reassigned.').waitFor();
  });

  it('imports a file and tells the result of each line', async () => {
    const { page } = clinic;
    const folder = await mkdtemp(join(tmpdir(), 'import-'));
    const file = join(folder, 'clients.csv');
    await writeFile(file, 'externalId,name,timeZone\nehr-1,"Nora, N.",\nehr-2,Omar,Mars/Base\n');
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('2 records found.').waitFor();
    // The browser sends this event when the user closes the file chooser without another choice.
    await page.locator('input[type=file]').dispatchEvent('cancel', { bubbles: true });
    await page.getByRole('button', { name: 'Import them' }).click();
    await page.getByText('The import is complete.').waitFor();
    await page.getByRole('dialog').locator('[lang=en]', { hasText: 'must be the name of an IANA time zone' }).waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await rm(folder, { recursive: true });
    expect((await read('client?name=nora')).items).toMatchObject([{ externalId: 'ehr-1', name: 'Nora, N.' }]);
  });

  it('takes no other file while one is imported, whose results would not be shown', async () => {
    const { page } = clinic;
    const importing = Promise.withResolvers<undefined>();
    await page.route('**/client/import', async (route) => {
      await importing.promise;
      await route.continue();
    });
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const buffer = Buffer.from('externalId,name\nonly-1,Imported Alone\n');
    const field = page.locator('input[type=file]');
    await field.setInputFiles({ name: 'one.csv', mimeType: 'text/csv', buffer });
    await page.getByText('1 record found.').waitFor();
    await page.getByRole('button', { name: 'Import them' }).click();
    await page.locator('[aria-busy=true]', { hasText: 'Import them' }).waitFor();
    expect(await field.isDisabled()).toBe(true);
    importing.resolve(undefined);
    await page.getByText('The import is complete.').waitFor();
    expect(clinic.complaints).toEqual([]);
  });

  it('keeps the names of a CSV file that Excel has saved in Windows-1252', async () => {
    const { page } = clinic;
    const csv = Buffer.from('"externalId";"name"\r\n"excel-1";"Jürgen Müller"\r\n', 'latin1');
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('input[type=file]').setInputFiles({ name: 'excel.csv', mimeType: 'text/csv', buffer: csv });
    await page.getByText('Check that this text is correct: Jürgen Müller').waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Import them' }).click();
    await page.getByText('The import is complete.').waitFor();
    expect((await read('client?name=jurgen')).items).toMatchObject([{ name: 'Jürgen Müller' }]);
  });

  it('tells the results of an import also if its dialog was closed meanwhile', async () => {
    const { page } = clinic;
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/client/import', async (route) => {
      await isReleased;
      await route.continue();
    });
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const buffer = Buffer.from('externalId,name,timeZone\nclosed-1,Closed One,\nclosed-2,Closed Two,Mars/Base\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'two.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Import them' }).click();
    await page.locator('[aria-busy=true]', { hasText: 'Import them' }).waitFor();
    await page.keyboard.press('Escape');
    release(undefined);
    await page.locator('.toast', { hasText: 'The import is complete. Refused: 1, New: 1' }).waitFor();
    expect(clinic.complaints).toEqual([]);
  });

  it('marks what is chosen with forced colours as well', async () => {
    const { page } = clinic;
    await page.emulateMedia({ forcedColors: 'active' });
    await clinic.goTo('/preferences');
    await page.getByRole('radio', { name: 'Quiet hours', exact: true }).waitFor();
    await clinic.settle();
    const differ = (one: string, other: string) =>
      page.evaluate<boolean>(`(() => {
        const [one, other] = ${JSON.stringify([one, other])}.map(
          (selector) => getComputedStyle(document.querySelector(selector)).backgroundColor);
        return one !== other;
      })()`);
    expect(await differ('.segment:has(:checked)', '.segment:not(:has(:checked))')).toBe(true);
    expect(await differ('.nav-wide [aria-current=page]', '.nav-wide a:not([aria-current])')).toBe(true);
    await clinic.goTo('/plan/1');
    await page
      .getByRole('button', { name: /^Sleep diary/ })
      .first()
      .press('Enter');
    await page.locator('.plan-editor-cell[aria-pressed=true]').first().waitFor();
    expect(await differ('.plan-editor-cell[aria-pressed=true]', '.plan-editor-cell[aria-pressed=false]')).toBe(true);
    await page.keyboard.press('Escape');
    await page.emulateMedia({ forcedColors: 'none' });
  });

  it('changes the quiet hours, which the audit trail tells and saves as a file', async () => {
    const { page } = clinic;
    await clinic.goTo('/preferences');
    await page.getByRole('radio', { name: 'Quiet hours', exact: true }).check();
    await page.getByLabel('From').fill('22:00');
    await page.getByLabel('Until').fill('22:00');
    await page.getByText('Both times are the same.').waitFor();
    await page.getByLabel('Until').fill('07:30');
    await page.getByText('A reminder that is due at 22:00 is sent at 07:30.').waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Upcoming reminders follow these settings.').waitFor();
    expect((await read('reminder-preference')).quietHours).toEqual({ from: '22:00', to: '07:30' });
    await clinic.settle();
    calls.length = 0;
    await clinic.goTo('/audit');
    await page.getByRole('cell', { name: 'Clinic 1' }).first().waitFor();
    await clinic.settle();
    expect(calls.length).toBeLessThanOrEqual(4);
    await page.getByLabel('Access').selectOption('WRITE');
    await page.getByText('PUT /gateway/profile/clinic/reminder-preference').first().waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    // The width of a window of 1280 pixels at a zoom of 200 %.
    await page.setViewportSize({ width: 640, height: 450 });
    const { scrollWidth, clientWidth } = await page.evaluate<Record<'scrollWidth' | 'clientWidth', number>>(
      '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
    );
    expect(scrollWidth).toBe(clientWidth);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    expect(lines.every((line) => JSON.parse(line).access === 'WRITE')).toBe(true);
    expect(clinic.complaints).toEqual([]);
  });

  it('tells that a text names no record, by which the audit trail is then not filtered', async () => {
    const { page } = clinic;
    await clinic.goTo('/audit?record=client%2F1');
    const record = page.getByRole('textbox', { name: 'Record' });
    expect(await record.getAttribute('aria-invalid')).toBeNull();
    await record.fill('Demo Client 1');
    await page.getByText('Kind and number, such as client/1').waitFor();
    expect(await record.getAttribute('aria-invalid')).toBe('true');
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('Kind and number, such as client/1').waitFor({ state: 'detached' });
    expect(clinic.complaints).toEqual([]);
  });

  it('exports the audit trail once the time zone of the Clinic is known, without entries of the future', async () => {
    const { page } = clinic;
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/gateway/profile/clinic/reminder-preference', async (route) => {
      await isReleased;
      await route.continue();
    });
    await clinic.goTo('/audit?to=2099-12-31');
    await page.getByRole('button', { name: 'Export', disabled: true }).waitFor();
    release();
    const exported = page.waitForRequest(/audit\/export/);
    await page.getByRole('button', { name: 'Export', disabled: false }).click();
    const { searchParams } = new URL((await exported).url());
    expect(searchParams.get('to')).toBe('2026-11-23T22:00:00.000Z');
    await clinic.settle();
    expect(clinic.complaints).toEqual([]);
  });

  it('tells the next person nothing about a change that is still being saved', async () => {
    const { page } = clinic;
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/gateway/profile/clinic/client', async (route) => {
      if (route.request().method() === 'POST') await isReleased;
      await route.continue();
    });
    await clinic.goTo('/directory');
    await page.getByRole('button', { name: 'New Client' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Slowly Saved');
    const request = page.waitForRequest((one) => one.method() === 'POST');
    await page.keyboard.press('Enter');
    const sent = await request;
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Signed in as Clinic 1' }).click();
    await page.getByRole('button', { name: 'Client 1', exact: true }).click();
    await page.getByRole('button', { name: 'Signed in as Client 1' }).waitFor();
    release();
    expect((await sent.response())!.status()).toBe(201);
    await clinic.settle();
    expect(await page.locator('.toast').allInnerTexts()).toEqual([]);
    expect((await read('client?name=Slowly')).items).toHaveLength(1);
    expect(clinic.complaints).toEqual([]);
  });

  it('saves no file for the next person that a person has requested', async () => {
    const { page } = clinic;
    const saved: string[] = [];
    page.on('download', (download) => saved.push(download.suggestedFilename()));
    for (const [route, calls, name] of [
      ['/client/1', '**/client/1/export', 'Download as JSON'],
      ['/audit', '**/audit/export?*', 'Export'],
    ] as const) {
      const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
      await page.route(calls, async (call) => {
        await isReleased;
        await call.continue();
      });
      await clinic.goTo(route);
      const request = page.waitForRequest(calls);
      await page.getByRole('button', { name, disabled: false }).click();
      const sent = await request;
      await page.getByRole('button', { name: 'Signed in as Clinic 1' }).click();
      await page.getByRole('button', { name: 'Client 1', exact: true }).click();
      await page.getByRole('button', { name: 'Signed in as Client 1' }).click();
      release(undefined);
      expect((await sent.response())!.status()).toBe(200);
      await clinic.settle();
      await page.getByRole('button', { name: 'Clinic 1', exact: true }).click();
      await page.getByRole('button', { name: 'Signed in as Clinic 1' }).waitFor();
    }
    expect(saved).toEqual([]);
    expect(clinic.complaints).toEqual([]);
  });

  it('offers to load the new version of the console if files of this one are gone', async () => {
    const { page } = clinic;
    const document = await (await fetch(app.url)).text();
    await page.route('**/assets/outbox-page*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await clinic.goTo('/outbox');
    await page.getByText('No connection').waitFor();
    await page.route(`${app.url}/`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: document.replace(/assets\/index-[^."]+\.js/, 'assets/index-new.js'),
      }),
    );
    await clinic.goTo('/calendar');
    await clinic.goTo('/outbox');
    await page.getByRole('heading', { name: 'The console was updated' }).waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Load the new version' }).click();
    await page.getByRole('heading', { name: 'Who would you like to be?' }).waitFor();
    await clinic.signInAs('Clinic 1');
    await page.getByRole('heading', { name: 'Reminders' }).waitFor();
  });
});
