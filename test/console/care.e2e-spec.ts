import type { Browser, Page } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { createAssignedClient, createCareProvider, createDailySessions } from '../support/app/demonstration-records.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/** @param date `yyyy/MM/dd` */
const addDays = (date: string, days: number) =>
  Temporal.PlainDate.from(date.replaceAll('/', '-')).add({ days }).toString().replaceAll('-', '/');

describeInBrowser('the record of a Client, and applying a plan', () => {
  let app: DemonstrationApp & { time: string };
  let browser: Browser;
  let visitor: ConsolePage;
  let page: Page;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });
  beforeEach(async () => {
    visitor = await ConsolePage.open(browser, app);
    ({ page } = visitor);
  });
  afterEach(() => visitor.close());

  const countSessions = async (clientId: number) => {
    const { body } = await app.get(
      `/gateway/profile/caregiver/session?clientId=${clientId}&count=exact`,
      'CARE_PROVIDER',
    );
    return body.count.value as number;
  };
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().press('Enter');

  it('finds a Client by name, and shows the series week by week with at most four calls', async () => {
    await visitor.signInAs('Care Provider 1');
    const calls = await visitor.recordCalls();
    await visitor.goTo('/clients');
    await page.getByRole('link', { name: 'Demo Client 2' }).waitFor();
    await visitor.settle();
    expect(calls.length).toBeLessThanOrEqual(4);
    await page.getByLabel('Search by name').fill('zzz');
    await page.getByText('No Client has this name').waitFor();
    await page.getByLabel('Search by name').fill('client 1');
    await page.getByRole('link', { name: 'Demo Client 1' }).waitFor();
    await page.getByRole('link', { name: 'Demo Client 2' }).waitFor({ state: 'detached' });
    await visitor.settle();
    calls.length = 0;
    await page.getByRole('link', { name: 'Demo Client 1' }).press('Enter');
    await page.getByText('3 of 5 homework items done so far').waitFor();
    await visitor.settle();
    expect(calls.length).toBeLessThanOrEqual(4);
    await press(/^Week 3.*No-show/);
    await page.getByRole('dialog').getByText('Thought record').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });

  it('shows the dry run of a move, and moves a series with the keyboard', async () => {
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/client/1');
    await press('Move…');
    await page.locator('.planned-session').first().waitFor();
    await page.getByLabel('Days').fill('999');
    await page.getByText('Enter a whole number from -365 to 365').waitFor();
    // Longer than the page waits after the last key: an invalid number is not sent later.
    await page.waitForTimeout(500);
    await page.getByLabel('Days').fill('14');
    await page.locator('.client-preview[aria-busy=false] .planned-before').first().waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).press('Enter');
    await page.getByText(/Sessions were changed/).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('Pause');
    await page.locator('.planned-session').first().waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).press('Enter');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('moves a series once if the response is lost and the user tries again', async () => {
    const first = async () => {
      const path = `/gateway/profile/caregiver/session?clientId=1&status=PAUSED&status=SCHEDULED&from=${app.time}&limit=1`;
      return (await app.get(path, 'CARE_PROVIDER')).body.items[0].date as string;
    };
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/client/1');
    const before = await first();
    await press('Move…');
    const dialog = page.getByRole('dialog');
    await dialog.locator('.client-preview[aria-busy=false] .planned-before').first().waitFor();
    let isLost = true;
    await page.route('**/shift?*dryRun=false*', async (route) => {
      if (!isLost) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Move', exact: true }).press('Enter');
    await dialog.getByText('The service could not be reached').waitFor({ timeout: 15_000 });
    isLost = false;
    // The page reads the series again once the service can be reached.
    await page.getByText('What you see may be out of date').waitFor({ state: 'detached' });
    await visitor.settle();
    await dialog.locator('.client-preview[aria-busy=false] .planned-before').first().waitFor();
    await dialog.getByRole('button', { name: 'Move', exact: true }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await first()).toBe(addDays(before, 7));
  });

  it('asks about overlaps again when the move of a series is changed after they were found', async () => {
    const clientId = await createAssignedClient(app, 'Moved Twice', 1);
    await createDailySessions(app, { clientId, caregiverId: 1, date: '2027/10/04', sessionCount: 2 });
    const json = { type: 'urn:problem:schedule-conflict', title: 'No', status: 409, detail: 'No.', instance: '' };
    await page.route('**/shift?*dryRun=false*', (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        json: { ...json, errors: [], conflicts: [], conflictCount: 1 },
      }),
    );
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo(`/client/${clientId}`);
    await press('Move…');
    const dialog = page.getByRole('dialog');
    const move = dialog.locator('.dialog-actions .button-primary:not([aria-disabled])');
    await move.filter({ hasText: /^Move$/ }).press('Enter');
    await dialog.getByRole('alert').getByText('1 overlap').waitFor();
    await dialog.getByLabel('Days').fill('14');
    await move.filter({ hasText: /^Move$/ }).waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
  });

  it('applies a plan in three steps, keeps what was typed, and creates nothing twice', async () => {
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/apply-plan');
    await page.getByText('Eight weeks of better sleep').click();
    await page.getByRole('heading', { name: 'Week 8' }).waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await press('Next');
    await press(/Demo Client 2/);
    await page.getByLabel('First Session').fill('2027-03-22');
    await page.getByLabel('Minutes').fill('0');
    await press('Show what happens');
    await page.getByText('Enter a whole number from 1 to 720.').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.getByLabel('Minutes').fill('45');
    await press('Show what happens');
    await page.getByText(/^8 Sessions · 12/).waitFor();
    await page.locator('.planned-clock').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await press('Back');
    expect(await page.getByLabel('Minutes').inputValue()).toBe('45');
    await press('Show what happens');
    // The first response is lost after the service has created the series.
    const before = await countSessions(2);
    const keys: (string | undefined)[] = [];
    await page.route('**/apply?*dryRun=false*', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 3) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await press('Create the series');
    await page.getByText('No response from the service').waitFor({ timeout: 15_000 });
    await press('Try again');
    await page.getByText('Just created').waitFor({ timeout: 15_000 });
    expect(new Set(keys).size).toBe(1);
    expect(await countSessions(2)).toBe(before + 8);
  });

  it('stays on the page that the user has opened while a series is created', async () => {
    const clientId = await createAssignedClient(app, 'Created Later', 1);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/apply?*dryRun=false*', async (route) => {
      await isReleased;
      await route.continue();
    });
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo(`/apply-plan?step=3&plan=1&client=${clientId}`);
    await page.locator('button:not([aria-disabled])', { hasText: /^Create / }).press('Enter');
    await page.locator('button[aria-busy=true]').waitFor();
    await visitor.goTo('/preferences');
    await page.getByRole('checkbox', { name: 'About homework' }).uncheck();
    release(undefined);
    await page.getByText('8 Sessions were created').waitFor();
    await visitor.settle();
    expect(new URL(page.url()).hash).toBe('#/preferences');
    expect(await page.getByRole('checkbox', { name: 'About homework' }).isChecked()).toBe(false);
  });

  it('shows the time zone in which a time is read, also after another Client was chosen', async () => {
    const elsewhere = await createAssignedClient(app, 'Lives In Tokyo', 1);
    const withoutZone = await createAssignedClient(app, 'Without Own Zone', 1);
    for (const [id, timeZone] of [[elsewhere, 'Asia/Tokyo'] as const, [withoutZone, null] as const])
      expect((await app.call('PATCH', `/gateway/profile/clinic/client/${id}`, 'CLINIC', { timeZone })).status).toBe(
        200,
      );
    await visitor.signInAs('Clinic 1');
    await visitor.goTo(`/apply-plan?step=2&plan=1&client=${elsewhere}`);
    await page.getByLabel('Time zone of this time').selectOption({ label: 'the Client (Asia/Tokyo)' });
    await press('Another Client');
    await page.getByLabel('Search Clients by name').fill('Without Own Zone');
    await press(/Without Own Zone/);
    await page.getByRole('button', { name: 'Another Client' }).waitFor();
    const shown = page.getByLabel('Time zone of this time').locator('option:checked');
    expect(await shown.allInnerTexts()).toEqual(['the Clinic']);
  });

  it('tells that the Client of a plan cannot be shown, and leads back to the choice of another one', async () => {
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/apply-plan?step=3&plan=1&client=999999');
    await page.getByRole('alert').getByText('Not found').waitFor();
    expect(await page.getByRole('button', { name: /^Create/ }).count()).toBe(0);
    await press('Back');
    await press('Another Client');
    await press(/Demo Client 2/);
    await press('Show what happens');
    await page.getByText(/^8 Sessions/).waitFor();
  });

  it('shows the overlaps of a plan with the series that has just been created from it', async () => {
    const caregiverId = await createCareProvider(app, 'Applies twice');
    const clientId = await createAssignedClient(app, 'Same Plan Twice', caregiverId);
    await visitor.signInAs('Clinic 1');
    const preview = async () => {
      await visitor.goTo(`/apply-plan?step=2&plan=1&client=${clientId}`);
      await page.getByLabel('Care Provider', { exact: true }).selectOption({ label: 'Applies twice' });
      await press('Show what happens');
    };
    await preview();
    await press('Create the series');
    await page.getByText('Just created').waitFor();
    await preview();
    await page.getByText(/^\d+ overlaps$/).waitFor();
  });

  it('asks before the entries for a plan are lost, but not between the steps', async () => {
    const goBack = () => page.evaluate('history.back()');
    const question = page.getByRole('dialog', { name: 'Leave without creating the series?' });
    await visitor.signInAs('Care Provider 1');
    await page.getByRole('heading', { level: 1, name: 'My week' }).waitFor();
    await visitor.goTo('/apply-plan');
    await page.getByText('Eight weeks of better sleep').click();
    await press('Next');
    // So far, the user has only looked at a plan.
    await visitor.goTo('/preferences');
    await page.getByRole('heading', { level: 1, name: 'Reminder preferences' }).waitFor();
    await goBack();
    await press(/Demo Client 2/);
    await page.getByLabel('Minutes').fill('45');
    await press('Show what happens');
    await page.getByText(/^8 Sessions · 12/).waitFor();
    await goBack();
    await page.getByLabel('Minutes').waitFor();
    await visitor.goTo('/preferences');
    await question.waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await question.getByRole('button', { name: 'Stay here' }).press('Enter');
    expect(await page.getByLabel('Minutes').inputValue()).toBe('45');
    await visitor.goTo('/preferences');
    await question.getByRole('button', { name: 'Leave' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Reminder preferences' }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('keeps the search for a plan, and the focus in it, when the search is emptied', async () => {
    for (let number = 1; number <= 9; number += 1)
      await app.call('POST', '/gateway/profile/clinic/design-plan', 'CLINIC', { planName: `Searched ${number}` });
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/apply-plan');
    const search = page.getByRole('searchbox');
    await search.pressSequentially('Searched 3');
    await page.getByText('Searched 4').waitFor({ state: 'detached' });
    await search.press('Control+a');
    await page.keyboard.press('Delete');
    await page.getByText('Searched 4').waitFor();
    await page.keyboard.type('Searched 5');
    expect(await search.inputValue()).toBe('Searched 5');
    expect(visitor.complaints).toEqual([]);
  });

  it('shows the title of each Book of a plan, however many Books there are', async () => {
    const books = Array.from({ length: 201 }, (_, index) => ({
      externalId: `many-${index}`,
      title: `Many ${index}`,
    }));
    const token = await app.createToken('CLINIC');
    const imported = await fetch(`${app.url}/gateway/profile/clinic/book/import`, {
      method: 'POST',
      headers: { authorization: `bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: books.map((book) => `${JSON.stringify(book)}\n`).join(''),
    });
    expect(imported.status).toBe(200);
    const readPage = (cursor = '') => app.get(`/gateway/profile/caregiver/book?limit=200${cursor}`, 'CARE_PROVIDER');
    const { nextCursor } = (await readPage()).body;
    const { id: bookId, title } = (await readPage(`&cursor=${nextCursor}`)).body.items[0];
    const plan = { planName: 'Many Books', weeks: [{ assignments: [{ bookId }] }] };
    const created = await app.call('POST', '/gateway/profile/clinic/design-plan', 'CLINIC', plan);
    const planId = created.headers.get('location')!.split('/').at(-1)!;
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo(`/apply-plan?plan=${planId}&client=1`);
    expect(await page.locator('.apply-plan-book-title').innerText()).toBe(title);
  });

  it('shows the reminders of a Client in the zone of the Clinic, unless they have their own', async () => {
    await visitor.signInAs('Clinic 1');
    await visitor.goTo('/client/1');
    await page.getByText('Recent reminders').click();
    await visitor.settle();
    const zones = await page.locator('details[open] .zone').allInnerTexts();
    expect([zones.length > 0, new Set(zones.map((zone) => zone.trim()))]).toEqual([true, new Set(['London'])]);
  });

  it.each(['Clinic 1', 'Care Provider 1'])('explains a recent reminder of a Client to %s', async (person) => {
    await visitor.signInAs(person);
    await visitor.goTo('/client/1');
    await page.getByText('Recent reminders').click();
    const item = page.getByRole('listitem').filter({ hasText: 'Sent' }).first();
    await item.getByRole('button', { name: 'Why?' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Reminder to Demo Client 1' }).waitFor();
    await dialog
      .getByText(/^Planned/)
      .first()
      .waitFor();
    await dialog.getByText(/^Sent/).first().waitFor();
    // Only a Clinic can read messages and open the page with all reminders.
    const isClinic = person === 'Clinic 1';
    expect(await dialog.getByText('The message as it was sent').count()).toBe(isClinic ? 1 : 0);
    expect(await dialog.getByRole('link').count()).toBe(isClinic ? 1 : 0);
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(visitor.complaints).toEqual([]);
  });

  it('tells what the service refuses at the field of its step', async () => {
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/apply-plan?step=3&plan=1&client=1');
    await page.getByText(/^8 Sessions/).waitFor();
    await press('Back');
    await page.getByLabel('First Session').fill('9999-12-01');
    await press('Show what happens');
    await page.getByText('This would be refused').waitFor();
    await press('Go to “Client and time”');
    expect(await page.getByLabel('First Session').getAttribute('aria-invalid')).toBe('true');
    await press('Back');
    await page.getByRole('heading', { level: 2, name: /^Step 1/ }).waitFor({ state: 'attached' });
    expect(await page.locator('.notice [lang=en]').count()).toBe(0);
  });

  it('loads the preview of a plan again that the service could not answer', async () => {
    const json = { type: 'urn:problem:service-unavailable', title: 'No', status: 503, detail: 'No.', instance: '' };
    await page.route('**/apply?*', (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', json }),
    );
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/apply-plan?step=3&plan=1&client=1');
    await page.getByRole('alert').getByText('The service cannot answer').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.unroute('**/apply?*');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByText(/^8 Sessions/).waitFor();
  });

  it('marks as English why the service refuses a plan, also in the step of the plan', async () => {
    const json = { type: 'urn:problem:unprocessable', title: 'T', status: 422, detail: 'No.', instance: '' };
    const errors = [{ pointer: '/id', detail: 'This plan has no weeks.' }];
    await page.route('**/apply?*', (route) =>
      route.fulfill({ status: 422, contentType: 'application/problem+json', json: { ...json, errors } }),
    );
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/apply-plan?step=3&plan=1&client=1');
    await press('Go to “Plan”');
    await page.locator('.notice [lang=en]', { hasText: 'This plan has no weeks.' }).waitFor();
  });

  it('books Sessions without a plan, as a Clinic, and warns of overlaps first', async () => {
    await visitor.signInAs('Clinic 1');
    await visitor.goTo('/client/2');
    const before = await countSessions(2);
    await press('New Session');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create' }).press('Enter');
    await dialog.getByText('Please fill in.').first().waitFor();
    await dialog.getByLabel('Title').fill('Family talk');
    await dialog.getByLabel('Care Provider', { exact: true }).selectOption({ index: 1 });
    await dialog.getByLabel('First Session').fill('2027-03-22');
    // The second click of a double click does not confirm an overlap that the user has not read about.
    const state = await page.evaluate<string>(`(async () => {
      const button = document.querySelector('dialog .dialog-actions button[type=submit]');
      button.click();
      while (button.textContent !== 'Create anyway') await new Promise(requestAnimationFrame);
      button.click();
      return button.getAttribute('aria-disabled');
    })()`);
    expect(state).toBe('true');
    await dialog.getByText('This overlaps other Sessions').waitFor();
    await dialog
      .getByText(/^Overlaps another Session of .+: Mon,? 22 Mar 2027, .*\d\d:\d\d/)
      .first()
      .waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    expect(await countSessions(2)).toBe(before);
    await dialog.locator('button:not([aria-disabled])', { hasText: 'Create anyway' }).press('Enter');
    await page.getByRole('heading', { name: 'Family talk' }).waitFor();
    expect(await countSessions(2)).toBe(before + 1);
  });

  it('tells that the Care Providers for new Sessions could not be loaded, and loads them again', async () => {
    const json = { type: 'urn:problem:invalid-request', title: 'No', status: 400, detail: 'No', instance: '' };
    await page.route('**/care-provider?*', (route) =>
      route.fulfill({ status: 400, contentType: 'application/problem+json', json: { ...json, errors: [] } }),
    );
    await visitor.signInAs('Clinic 1');
    await visitor.goTo('/client/2');
    await press('New Session');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText('Not accepted').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.unroute('**/care-provider?*');
    await dialog.getByRole('button', { name: 'Try again' }).press('Enter');
    await dialog.getByLabel('Care Provider', { exact: true }).selectOption({ index: 1 });
  });

  it('tells the next Session of each Client, however many Sessions there are', async () => {
    const caregiverId = await createCareProvider(app, 'Many Sessions');
    const daily = await createAssignedClient(app, 'Daily Client', caregiverId);
    const later = await createAssignedClient(app, 'Later Client', caregiverId);
    await createAssignedClient(app, 'Nothing Planned', caregiverId);
    for (const date of ['2027/03/01', '2027/06/09', '2027/09/17'])
      await createDailySessions(app, { clientId: daily, caregiverId, date, sessionCount: 100 });
    await createDailySessions(app, { clientId: later, caregiverId, date: '2029/05/04', sessionCount: 1 });
    await visitor.signInAs('Clinic 1');
    await visitor.goTo('/clients');
    const row = (name: string) => page.getByRole('row', { name });
    await row('Nothing Planned').getByText('none planned').waitFor();
    await row('Daily Client')
      .getByText(/^Mon,? 1 Mar 2027/)
      .waitFor();
    await row('Later Client')
      .getByText(/^Fri,? 4 May 2029/)
      .waitFor();
    await visitor.goTo(`/client/${daily}`);
    await page.locator('.client-next-date', { hasText: /Monday,? 1 March 2027/ }).waitFor();
    // The browser keeps titles in its history, so they contain no names.
    expect(await page.title()).toBe('Client · Care scheduling');
    expect(visitor.complaints).toEqual([]);
  });

  it('tells that the next Sessions of the Clients could not be loaded, and loads them again', async () => {
    const json = { type: 'urn:problem:invalid-request', title: 'No', status: 400, detail: 'No', instance: '' };
    await page.route('**/session?*', (route) =>
      route.fulfill({ status: 400, contentType: 'application/problem+json', json: { ...json, errors: [] } }),
    );
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/clients');
    await page.getByRole('link', { name: 'Demo Client 2' }).waitFor();
    await page.getByRole('alert').getByText('Not accepted').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.unroute('**/session?*');
    await press('Try again');
    await page
      .getByRole('row', { name: /Demo Client 2/ })
      .locator('time')
      .waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('does not undo a step of a colleague that the user has not seen', async () => {
    const caregiverId = await createCareProvider(app, 'Cancels again');
    const clientId = await createAssignedClient(app, 'Cancelled Twice', caregiverId);
    await createDailySessions(app, { clientId, caregiverId, date: '2027/04/19', sessionCount: 1 });
    const list = `/gateway/profile/clinic/session?clientId=${clientId}`;
    const path = `/gateway/profile/clinic/session/${(await app.get(list, 'CLINIC')).body.items[0].id}`;
    const cancel = (reason: string) => app.call('POST', `${path}/cancel`, 'CLINIC', { reason });
    expect((await cancel('OTHER')).status).toBe(200);
    await visitor.signInAs('Clinic 1');
    await visitor.goTo(`/client/${clientId}`);
    await press(/Cancelled/);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Cancelled: Another reason').waitFor();
    expect((await app.call('POST', `${path}/undo`, 'CLINIC')).status).toBe(200);
    expect((await cancel('ILLNESS')).status).toBe(200);
    await dialog.getByRole('button', { name: 'Undo' }).press('Enter');
    await dialog.getByText('Changed in the meantime').waitFor();
    expect((await app.get(path, 'CLINIC')).body).toMatchObject({ cancellation: { reason: 'ILLNESS' } });
    // The dialog shows the saved Session, so the next step succeeds.
    await dialog.getByText('Cancelled: Illness').waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect((await app.get(path, 'CLINIC')).body.status).toBe('SCHEDULED');
  });

  it('records one outcome of a Session, also if another one is chosen before it is saved', async () => {
    const clientId = await createAssignedClient(app, 'One Outcome', 1);
    await createDailySessions(app, { clientId, caregiverId: 1, date: '2026/11/20', sessionCount: 1 });
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/complete', async (route) => {
      await isReleased;
      await route.continue();
    });
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo(`/client/${clientId}`);
    await press(/^Session 1/);
    const dialog = page.getByRole('dialog');
    const calls = await visitor.recordCalls();
    await dialog.getByRole('button', { name: 'It took place' }).press('Enter');
    await dialog.locator('button[aria-busy=true]').waitFor();
    await dialog.getByRole('button', { name: 'Client did not come' }).press('Enter');
    release(undefined);
    await dialog.waitFor({ state: 'detached' });
    await visitor.settle();
    expect(calls.filter((url) => url.endsWith('/no-show'))).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });

  it('offers to record the outcome in the record of a Client as soon as the Session starts', async () => {
    const clientId = await createAssignedClient(app, 'Starts Soon', 1);
    const body = { clientId, title: 'T', date: '2026/11/23', time: '22:10' };
    const path = '/gateway/profile/caregiver/session?conflicts=report';
    expect((await app.call('POST', path, 'CARE_PROVIDER', body)).status).toBe(201);
    const open = await ConsolePage.open(browser, { url: app.url });
    await open.page.clock.install({ time: app.time });
    await open.signInAs('Care Provider 1');
    await open.goTo(`/client/${clientId}`);
    await open.page.getByRole('button', { name: /^Session 1/ }).press('Enter');
    const dialog = open.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Skip this week…' }).waitFor();
    await open.page.clock.fastForward(11 * 60_000);
    await dialog.getByRole('button', { name: 'Client did not come' }).waitFor();
    await open.close();
  });

  it('shows the next Session on a page that stays open for days', async () => {
    const caregiverId = await createCareProvider(app, 'Stays open');
    const clientId = await createAssignedClient(app, 'Open For Days', caregiverId);
    await createDailySessions(app, { clientId, caregiverId, date: '2026/11/24', sessionCount: 3 });
    const open = await ConsolePage.open(browser, { url: app.url });
    await open.page.clock.install({ time: app.time });
    await open.signInAs('Clinic 1');
    await open.goTo(`/client/${clientId}`);
    await open.page.locator('.client-next-date', { hasText: '24 November' }).waitFor();
    await open.settle();
    await open.page.clock.fastForward(86_400_000);
    await open.page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await open.page.locator('.client-next-date', { hasText: '25 November' }).waitFor();
    await open.close();
  });

  it('offers the actions of each series, however many there are, and tells if they could not be loaded', async () => {
    const clientId = await createAssignedClient(app, 'Several Series', 1);
    for (const date of ['2027/07/05', '2027/07/12', '2027/07/19'])
      await createDailySessions(app, { clientId, caregiverId: 1, date, sessionCount: 2 });
    let isRefused = true;
    const json = { type: 'urn:problem:invalid-request', title: 'No', status: 400, detail: 'No', instance: '' };
    await page.route('**/series?*', (route) =>
      isRefused
        ? route.fulfill({ status: 400, contentType: 'application/problem+json', json: { ...json, errors: [] } })
        : // Each page of the service has one series.
          route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
    );
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo(`/client/${clientId}`);
    await page.getByRole('alert').getByText('Not accepted').waitFor();
    expect(await page.getByText('You see only some Sessions of this series.').count()).toBe(0);
    expect(await visitor.listAxeViolations()).toEqual([]);
    isRefused = false;
    await press('Try again');
    await page.locator('.client-series').nth(2).waitFor();
    expect(await page.getByRole('button', { name: 'Move…' }).count()).toBe(3);
  });

  it('tells that a series is paused, if no Session is planned', async () => {
    await visitor.signInAs('Clinic 1');
    await visitor.goTo('/client/3');
    await page.getByText('A series is paused: resume it below').waitFor();
  });

  it('tells the Session that takes place now in the list of Clients', async () => {
    // The console is opened at 22:00 in London.
    const body = { clientId: 2, title: 'Running now', date: '2026/11/23', time: '21:50' };
    const created = await app.call('POST', '/gateway/profile/caregiver/session', 'CARE_PROVIDER', body);
    const id = Number(/\d+(?=\D*$)/.exec(created.body.message)![0]);
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo('/clients');
    await visitor.settle();
    const row = await page.getByRole('row', { name: /Demo Client 2/ }).innerText();
    expect(row).toMatch(/21:50[^]*Running now/);
    await app.call('POST', `/gateway/profile/caregiver/session/${id}/no-show`, 'CARE_PROVIDER');
  });

  it('shows on other pages what has changed in the week', async () => {
    const caregiverId = await createCareProvider(app, 'Week and record');
    const clientId = await createAssignedClient(app, 'Cancelled Client', caregiverId);
    await createDailySessions(app, { clientId, caregiverId, date: '2027/04/12', sessionCount: 1 });
    await visitor.signInAs('Clinic 1');
    await visitor.goTo(`/client/${clientId}`);
    await page.getByRole('heading', { name: 'Next Session' }).waitFor();
    await visitor.goTo('/week?from=2027-04-12&view=list');
    await page.locator('.week-row', { hasText: 'Cancelled Client' }).click();
    await press('Cancel…');
    await press('Cancel the Session');
    await page.getByText(/^Cancelled: the Session of/).waitFor();
    await visitor.goTo(`/client/${clientId}`);
    await page.getByText('No Session is planned').waitFor();
    await page.getByRole('heading', { name: 'Next Session' }).waitFor({ state: 'detached' });
  });

  it('removes a Client whose assignment has ended, and tells if a page could not be loaded again', async () => {
    const clientId = await createAssignedClient(app, 'Assigned For Now', 1);
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo(`/client/${clientId}`);
    await page.getByText('There are no Sessions yet').waitFor();
    const loadAgain = () =>
      page.evaluate(`window.dispatchEvent(new Event('offline')), window.dispatchEvent(new Event('online'))`);
    const refused = {
      type: 'urn:problem:invalid-request',
      title: 'No',
      status: 400,
      detail: 'No',
      instance: '',
      errors: [],
    };
    await page.route('**/session?*', (route) =>
      route.fulfill({ status: 400, contentType: 'application/problem+json', json: refused }),
    );
    await loadAgain();
    await page.getByText('This could not be loaded again').waitFor();
    await page.getByText('There are no Sessions yet').waitFor();
    expect(await visitor.listAxeViolations()).toEqual([]);
    await page.unroute('**/session?*');
    await press('Try again');
    await page.getByText('This could not be loaded again').waitFor({ state: 'detached' });
    await app.call('DELETE', `/gateway/profile/clinic/client/${clientId}/care-provider/1`, 'CLINIC');
    await loadAgain();
    await page.getByRole('heading', { name: 'Assigned For Now' }).waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: 'New Session' }).count()).toBe(0);
  });

  it('keeps a dialog open that was opened before the change of an earlier one has been saved', async () => {
    const clientId = await createAssignedClient(app, 'Two Dialogs', 1);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/session?*', async (route) => {
      if (route.request().method() === 'POST') await isReleased;
      await route.continue();
    });
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo(`/client/${clientId}`);
    const dialog = page.getByRole('dialog');
    await press('New Session');
    await dialog.getByLabel('Title').fill('First');
    await dialog.getByLabel('First Session').fill('2027-08-02');
    await dialog.getByRole('button', { name: 'Create' }).press('Enter');
    await dialog.locator('button[aria-busy=true]').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await press('New Session');
    await dialog.getByLabel('Title').fill('Second');
    release(undefined);
    await page.getByText('The Session was created').waitFor();
    await visitor.settle();
    expect(await dialog.count()).toBe(1);
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Second');
  });

  it('keeps a dialog open if a selection of text ends outside it', async () => {
    const clientId = await createAssignedClient(app, 'Text Selected', 1);
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo(`/client/${clientId}`);
    await press('New Session');
    const title = page.getByRole('dialog').getByLabel('Title');
    await title.fill('A title that is selected');
    const { x, y, width, height } = (await title.boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(10, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await visitor.settle();
    expect(await title.inputValue()).toBe('A title that is selected');
    await page.mouse.click(10, y);
    await page.getByRole('heading', { name: 'Close without saving?' }).waitFor();
    await press('Leave');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('asks before a new Session is lost that the user has not created yet', async () => {
    const clientId = await createAssignedClient(app, 'Half Entered', 1);
    await visitor.signInAs('Care Provider 1');
    await visitor.goTo(`/client/${clientId}`);
    const question = page.getByRole('heading', { name: 'Close without saving?' });
    const title = page.getByRole('dialog').getByLabel('Title');
    await press('New Session');
    await title.waitFor();
    await page.keyboard.press('Escape');
    await title.waitFor({ state: 'detached' });
    await press('New Session');
    await title.fill('Half');
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click(),
      () => page.mouse.click(10, 10),
      () => page.goBack(),
    ]) {
      await leave();
      await question.waitFor();
      expect(await visitor.listAxeViolations()).toEqual([]);
      await press('Stay here');
      await question.waitFor({ state: 'detached' });
      expect(await title.inputValue()).toBe('Half');
    }
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await title.waitFor({ state: 'detached' });
    // Nothing is left to lose.
    await visitor.goTo('/clients');
    await page.getByRole('heading', { name: 'Clients' }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('shows in the record of a Client when reminders are sent after the quiet hours have changed', async () => {
    const clientId = await createAssignedClient(app, 'Reminded Later', 1);
    const body = { clientId, title: 'T', date: '2027/09/06', time: '10:00', reminders: ['-PT2H'] };
    expect((await app.call('POST', '/gateway/profile/caregiver/session', 'CARE_PROVIDER', body)).status).toBe(201);
    await visitor.signInAs('Care Provider 1');
    const waitForReminder = async (time: string) => {
      await visitor.goTo(`/client/${clientId}`);
      await press(/^Session 1/);
      await page
        .getByRole('dialog')
        .getByRole('listitem')
        .filter({ hasText: 'Care Provider' })
        .getByText(time)
        .waitFor();
    };
    await waitForReminder('08:00');
    await page.keyboard.press('Escape');
    await visitor.goTo('/preferences');
    await page.getByRole('radio', { name: 'Own hours' }).check();
    await page.getByLabel('From').fill('07:00');
    await page.getByLabel('Until').fill('09:00');
    await press('Save');
    await page.getByText('Upcoming reminders follow these settings.').waitFor();
    await waitForReminder('09:00');
  });
});
