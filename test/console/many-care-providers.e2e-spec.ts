import type { Browser } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { createAssignedClient, createCareProvider } from '../support/app/demonstration-records.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/* Tests a Clinic with more Care Providers and Clients than a page of the service can contain. */

describeInBrowser('a Clinic with more than 200 Care Providers and 200 Clients', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
    const names = Array.from({ length: 205 }, (_, index) => ({ externalId: `cp-${index}`, name: `Ada ${index}` }));
    const headers = {
      authorization: `bearer ${await app.createToken('CLINIC')}`,
      'content-type': 'application/x-ndjson',
    };
    for (const kind of ['care-provider', 'client']) {
      const response = await fetch(`${app.url}/gateway/profile/clinic/${kind}/import`, {
        method: 'POST',
        headers,
        body: names.map((record) => `${JSON.stringify(record)}\n`).join(''),
      });
      expect(response.status).toBe(200);
      await response.text();
    }
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  it('offers the last one of the alphabet for a Session, an assignment and the filter of the week', async () => {
    const last = await createCareProvider(app, 'Zoe Last');
    const clientId = await createAssignedClient(app, 'Client of the last', last);
    const clinic = await ConsolePage.open(browser, app);
    const { page } = clinic;
    await clinic.signInAs('Clinic 1');
    await page.getByRole('group').getByRole('button', { name: 'Zoe Last' }).waitFor();
    // The filter is a list of its own height, so the week stays on the first screen.
    const filter = await page.locator('.week-people').boundingBox();
    expect(filter!.height).toBeLessThan(200);
    expect(await clinic.listAxeViolations()).toEqual([]);
    await clinic.goTo(`/client/${clientId}`);
    await page.getByRole('button', { name: 'New Session' }).click();
    await page.getByLabel('Care Provider', { exact: true }).selectOption({ label: 'Zoe Last' });
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await clinic.goTo('/directory');
    await page.getByRole('searchbox').fill('of the last');
    const row = page.getByRole('row', { name: 'Client of the last' });
    await row.getByText('Zoe Last').waitFor();
    await row.getByRole('button').click();
    const box = page.getByRole('dialog').getByRole('checkbox', { name: 'Zoe Last' });
    expect(await box.isChecked()).toBe(true);
    await clinic.goTo('/directory?of=careProviders');
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('Zoe');
    await page.getByRole('button', { name: 'Change Zoe Last' }).click();
    await page.getByRole('button', { name: 'Reassign Clients' }).click();
    await page.getByRole('checkbox', { name: 'Only some of the Clients' }).check();
    await page.getByRole('checkbox', { name: 'Client of the last' }).waitFor();
    expect(clinic.complaints).toEqual([]);
    await clinic.close();
  });

  it('goes to the second page of a list also if the button is pressed again before this page is loaded', async () => {
    const clinic = await ConsolePage.open(browser, app);
    const { page } = clinic;
    await clinic.signInAs('Clinic 1');
    const pressed = Promise.withResolvers<undefined>();
    await page.route('**/clinic/client?*cursor=*', async (route) => {
      await pressed.promise;
      await route.continue();
    });
    await clinic.goTo('/directory');
    const next = page.getByRole('button', { name: 'Next', exact: true });
    await next.press('Enter');
    await page.getByText('Page 2', { exact: true }).waitFor();
    await next.press('Enter');
    pressed.resolve(undefined);
    await clinic.settle();
    expect(await page.getByText(/^Page \d+$/).innerText()).toBe('Page 2');
    expect(clinic.complaints).toEqual([]);
    await clinic.close();
  });

  /** Opens a page of the directory with one active Care Provider, the second one of two whose name has this word. */
  async function openSecondPage(word: string): Promise<ConsolePage> {
    const clinic = await ConsolePage.open(browser, app);
    const { page } = clinic;
    await clinic.signInAs('Clinic 1');
    await page.route('**/care-provider?*limit=25*', (route) =>
      route.continue({ url: route.request().url().replace('limit=25', 'limit=1') }),
    );
    await clinic.goTo('/directory?of=careProviders');
    await page.getByLabel('Shown').selectOption({ label: 'Active' });
    await page.getByRole('searchbox').fill(word);
    await page.getByText('2 entries', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    return clinic;
  }

  it('goes back from a page whose last record has left the list', async () => {
    await createCareProvider(app, 'Emptied One');
    await createCareProvider(app, 'Emptied Two');
    const clinic = await openSecondPage('Emptied');
    const { page } = clinic;
    await page.getByRole('button', { name: 'Change Emptied Two' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('There are no upcoming Sessions').waitFor();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('Deactivated.').waitFor();
    await page.getByRole('button', { name: 'Change Emptied One' }).waitFor();
    expect(clinic.complaints).toEqual([]);
    await clinic.close();
  });

  it('goes back from a page whose cursor is refused, because another person has renamed a record', async () => {
    const first = await createCareProvider(app, 'Renamed One');
    await createCareProvider(app, 'Renamed Two');
    const clinic = await openSecondPage('Renamed');
    const { page } = clinic;
    await page.getByRole('button', { name: 'Change Renamed Two' }).click();
    const path = `/gateway/profile/clinic/care-provider/${first}`;
    expect((await app.call('PATCH', path, 'CLINIC', { name: 'Renamed 1' })).status).toBe(200);
    await page.getByLabel('E-mail').fill('two@example.org');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByText('Page 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change Renamed 1' }).waitFor();
    await clinic.settle();
    expect(await page.getByText('could not be loaded again').count()).toBe(0);
    expect(clinic.complaints.filter((text) => !text.includes('400'))).toEqual([]);
    await clinic.close();
  });

  it('says that the week is filtered by at most 50 Care Providers', async () => {
    const path = '/gateway/profile/clinic/care-provider?sort=name&limit=60';
    const people = (await app.get(path, 'CLINIC')).body.items as { id: number; name: string }[];
    const clinic = await ConsolePage.open(browser, app);
    const { page } = clinic;
    await clinic.signInAs('Clinic 1');
    await clinic.goTo(
      `/week?people=${people
        .slice(0, 49)
        .map(({ id }) => id)
        .join(',')}`,
    );
    const filter = page.getByRole('group', { name: 'Care Providers' });
    const choose = ({ name }: { name: string }) => filter.getByRole('button', { name, exact: true });
    await choose(people[49]!).click();
    await page.getByText('At most 50 can be chosen at the same time.').waitFor();
    expect(await choose(people[50]!).isDisabled()).toBe(true);
    expect(await filter.locator('[aria-pressed=true]').count()).toBe(50);
    expect(await clinic.listAxeViolations()).toEqual([]);
    await choose(people[0]!).click();
    await choose(people[50]!).click();
    await filter.locator('[aria-pressed=true]').nth(49).waitFor();
    expect(await choose(people[50]!).getAttribute('aria-pressed')).toBe('true');
    expect(clinic.complaints).toEqual([]);
    await clinic.close();
  });

  it('keeps a name of one long word within a phone and a dialog', async () => {
    const word = 'Hauptbetriebswerkbauunterbeamtengesellschaft'.repeat(3);
    const id = await createAssignedClient(app, word, await createCareProvider(app, word));
    const clinic = await ConsolePage.open(browser, app, { viewport: { width: 390, height: 844 } });
    const { page } = clinic;
    await clinic.signInAs('Clinic 1');
    const excess = () =>
      page.evaluate<number[]>(`[document.documentElement, ...document.querySelectorAll('dialog')]
        .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`);
    // The filter of the week has the name of the Care Provider.
    await page.getByRole('button', { name: word }).waitFor();
    expect(await excess()).toEqual([0]);
    await clinic.goTo(`/client/${id}`);
    await page.getByRole('heading', { name: word }).waitFor();
    expect(await excess()).toEqual([0]);
    await page.getByRole('button', { name: 'New Session' }).click();
    expect(await excess()).toEqual([0, 0]);
    await page.keyboard.press('Escape');
    await clinic.goTo('/directory');
    // The service searches for at most 100 characters.
    await page.getByRole('searchbox').focus();
    await page.keyboard.insertText(word);
    await page.getByRole('button', { name: `Change ${word}` }).click();
    await page.getByRole('dialog').getByRole('checkbox', { name: word }).waitFor();
    expect(await excess()).toEqual([0, 0]);
    expect(clinic.complaints).toEqual([]);
    await clinic.close();
  });
});
