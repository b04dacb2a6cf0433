import type { Browser } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { waitFor } from '../support/app/test-app.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

type SeriesItem = { id: string; upcomingCount: number };

describeInBrowser('the page of a Client', () => {
  let app: DemonstrationApp & { time: string };
  let browser: Browser;
  let client: ConsolePage;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });
  beforeEach(async () => {
    client = await ConsolePage.open(browser, app, { viewport: { width: 390, height: 844 } });
  });
  afterEach(() => client.close());

  const homework = async (id: number) => {
    const { body } = await app.get('/gateway/profile/client/homework?limit=100', 'CLIENT');
    return body.items.find((one: { id: number }) => one.id === id);
  };
  const firstOpen = async () => {
    const { body } = await app.get('/gateway/profile/client/homework?completed=false&limit=1', 'CLIENT');
    return body.items[0];
  };

  /** Lets time pass and returns to the tab, so that it loads its data again. */
  const returnToTab = async ({ page }: ConsolePage, afterMs: number) => {
    await page.clock.fastForward(afterMs);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  };

  it('signs in, and breaks no rule of accessibility, before and after', async () => {
    await client.page.getByRole('heading', { name: 'Who would you like to be?' }).waitFor();
    expect(await client.listAxeViolations()).toEqual([]);
    await client.signInAs('Client 1');
    await client.page.getByText('Your next Session').waitFor();
    await client.page.getByText('of 12 done').waitFor();
    for (const fold of await client.page.locator('details > summary').all()) await fold.click();
    await client.page.getByText('Missed').waitFor();
    expect(await client.listAxeViolations()).toEqual([]);
    expect(client.complaints).toEqual([]);
  });

  it('marks homework as done and takes it back, with the keyboard', async () => {
    const { id, bookTitle } = await firstOpen();
    await client.signInAs('Client 1');
    const name = `Mark “${bookTitle}” as done`;
    await client.page.getByRole('button', { name, pressed: false }).first().focus();
    await client.page.keyboard.press('Enter');
    await client.page.getByText('4 of 12 done').waitFor();
    await waitFor(async () => (await homework(id)).completedAt !== null);
    // The button keeps the focus, so pressing Enter again reverts the change.
    const focused = client.page.locator('.my-care-check:focus[aria-pressed="true"]');
    await focused.waitFor();
    // The state is in `aria-pressed` only. If the label changed as well, a screen reader would negate it twice.
    expect(await focused.getAttribute('aria-label')).toBe(name);
    await client.page.keyboard.press('Enter');
    await client.page.getByText('3 of 12 done').waitFor();
    await waitFor(async () => (await homework(id)).completedAt === null);
    expect(client.complaints).toEqual([]);
  });

  it('shows the Session that takes place now as the next one, and not as a past one', async () => {
    // The console is opened at 22:00 in London.
    const body = { clientId: 1, title: 'Running now', date: '2026/11/23', time: '21:50' };
    const created = await app.call('POST', '/gateway/profile/caregiver/session', 'CARE_PROVIDER', body);
    const id = Number(/\d+(?=\D*$)/.exec(created.body.message)![0]);
    await client.signInAs('Client 1');
    await client.page.getByText('Your next Session').waitFor();
    await client.page.getByText('Past Sessions').click();
    await client.page.getByText('Missed').waitFor();
    const shown = await client.page.getByText('Running now').allInnerTexts();
    const next = await client.page.locator('section', { hasText: 'Your next Session' }).innerText();
    expect([shown.length, next]).toEqual([1, expect.stringContaining('21:50')]);
    expect((await app.call('POST', `/gateway/profile/caregiver/session/${id}/no-show`, 'CARE_PROVIDER')).status).toBe(
      200,
    );
  });

  it('shows all homework and Sessions beside a long series, not only the latest ones', async () => {
    const path = '/gateway/profile/caregiver/session';
    const body = { clientId: 1, title: 'Long series', date: '2027/03/21', time: '09:30' };
    const series = { sessionCount: 100, bookIdList: [1, 2, 3] };
    const created = await app.call('POST', path, 'CARE_PROVIDER', { ...body, ...series });
    const id = Number(/\d+(?=\D*$)/.exec(created.body.message)![0]);
    await client.signInAs('Client 1');
    await client.page.getByText('3 of 312 done').waitFor();
    const later = await client.page.getByText('Later Sessions').innerText();
    expect(Number(/\d+$/.exec(later)![0])).toBeGreaterThanOrEqual(100);
    const cancelled = await app.call('POST', `${path}/${id}/cancel?scope=series`, 'CARE_PROVIDER', { reason: 'OTHER' });
    expect(cancelled.status).toBe(200);
  });

  it('keeps the last of several taps, however slow the service is', async () => {
    const { id, bookTitle } = await firstOpen();
    await client.signInAs('Client 1');
    const sent: string[] = [];
    let isHeld = true;
    await client.page.route(/\/(complete|undo)$/, async (route) => {
      sent.push(new URL(route.request().url()).pathname.split('/').at(-1)!);
      await waitFor(() => !isHeld);
      await route.continue();
    });
    const box = client.page
      .locator('.my-care-item', { hasText: bookTitle })
      .first()
      .getByRole('button', { name: bookTitle });
    for (const done of [4, 3, 4]) {
      await box.click();
      await client.page.getByText(`${done} of 12 done`).waitFor();
    }
    isHeld = false;
    // Each request is sent after the answer to the one before.
    await waitFor(() => sent.length === 3);
    await client.settle();
    expect(sent).toEqual(['complete', 'undo', 'complete']);
    await client.page.getByText('4 of 12 done').waitFor();
    expect((await homework(id)).completedAt).not.toBeNull();
    await box.click();
    await waitFor(async () => (await homework(id)).completedAt === null);
    expect(client.complaints).toEqual([]);
  });

  it('shows when a reminder of homework is sent if quiet hours defer it', async () => {
    const path = '/gateway/profile/client/reminder-preference';
    const { body } = await app.get('/gateway/profile/client/homework?completed=false&limit=100', 'CLIENT');
    const item = body.items.find((one: { remindersAhead: unknown[] }) => one.remindersAhead.length > 0);
    const quietHours = { from: item.remindersAhead[0].time, to: '23:47' };
    expect((await app.call('PUT', path, 'CLIENT', { quietHours })).status).toBe(200);
    await client.signInAs('Client 1');
    const shown = client.page.locator('.my-care-item', { hasText: item.bookTitle }).filter({ hasText: '23:47' });
    await shown.first().waitFor();
    expect((await app.call('PUT', path, 'CLIENT', {})).status).toBe(200);
    expect(client.complaints).toEqual([]);
  });

  it('does not take back an opt-out by a link when other preferences are saved', async () => {
    const path = '/gateway/profile/client/reminder-preference';
    await client.signInAs('Client 1');
    await client.goTo('/preferences');
    await client.page.getByRole('checkbox', { name: 'About Sessions' }).waitFor();
    await client.settle();
    await app.call('PUT', path, 'CLIENT', { optedOut: ['SESSION'] });
    await client.page.getByRole('radio', { name: 'None' }).check();
    await client.page.getByRole('button', { name: 'Save' }).press('Enter');
    await client.page.getByText('Upcoming reminders follow these settings.').waitFor();
    const { noQuietHours, optedOut } = (await app.get(path, 'CLIENT')).body;
    expect({ noQuietHours, optedOut }).toEqual({ noQuietHours: true, optedOut: ['SESSION'] });
    expect(await client.page.getByRole('checkbox', { name: 'About Sessions' }).isChecked()).toBe(false);
    await app.call('PUT', path, 'CLIENT', {});
  });

  it('asks before an opt-out that is not saved is lost', async () => {
    const question = client.page.getByRole('dialog', { name: 'Leave without saving?' });
    await client.signInAs('Client 1');
    await client.goTo('/preferences');
    await client.page.getByRole('checkbox', { name: 'About homework' }).uncheck();
    await client.goTo('/my-care');
    await question.waitFor();
    expect(await client.listAxeViolations()).toEqual([]);
    await question.getByRole('button', { name: 'Stay here' }).press('Enter');
    expect(await client.page.getByRole('checkbox', { name: 'About homework' }).isChecked()).toBe(false);
    await client.page.getByRole('button', { name: 'Discard changes' }).press('Enter');
    await client.goTo('/my-care');
    await client.page.getByText('Your next Session').waitFor();
    expect(client.complaints).toEqual([]);
  });

  it('keeps what the user has entered when an opt-out by a link is read', async () => {
    const path = '/gateway/profile/client/reminder-preference';
    const visitor = await ConsolePage.open(browser, { url: app.url });
    await visitor.page.clock.install();
    await visitor.signInAs('Client 1');
    await visitor.goTo('/preferences');
    const own = visitor.page.getByRole('radio', { name: 'Own hours' });
    await own.check();
    await visitor.page.getByLabel('From').fill('22:30');
    await visitor.settle();
    await app.call('PUT', path, 'CLIENT', { optedOut: ['HOMEWORK'] });
    await returnToTab(visitor, 11_000);
    await visitor.page.getByRole('checkbox', { name: 'About homework', checked: false }).waitFor();
    expect(await visitor.page.getByLabel('From').inputValue()).toBe('22:30');
    await visitor.page.getByRole('button', { name: 'Save' }).press('Enter');
    await visitor.page.getByText('Upcoming reminders follow these settings.').waitFor();
    // The form now equals the saved preference, and follows it again.
    await visitor.page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    const { quietHours, optedOut } = (await app.get(path, 'CLIENT')).body;
    expect([quietHours.from, optedOut]).toEqual(['22:30', ['HOMEWORK']]);
    await app.call('PUT', path, 'CLIENT', {});
    await returnToTab(visitor, 11_000);
    await visitor.page.getByRole('checkbox', { name: 'About homework', checked: true }).waitFor();
    expect(await own.isChecked()).toBe(false);
    await visitor.close();
  });

  it('shows the next Session, and not one of last week, on a page that stays open for days', async () => {
    const visitor = await ConsolePage.open(browser, { url: app.url });
    await visitor.page.clock.install({ time: app.time });
    await visitor.signInAs('Client 1');
    const next = visitor.page.locator('section', { hasText: 'Your next Session' });
    await next.getByText('30 November').waitFor();
    await visitor.settle();
    await returnToTab(visitor, 8 * 86_400_000);
    await next.getByText('7 December').waitFor();
    await visitor.page.getByText('Past Sessions').click();
    await visitor.page.getByText('Mon 30 Nov, 10:00').waitFor();
    await visitor.close();
  });

  it('tells that the care is on hold, also when the dates of the pause have passed', async () => {
    const path = '/gateway/profile/clinic/series';
    const { items } = (await app.get(`${path}?clientId=1`, 'CLINIC')).body as { items: SeriesItem[] };
    const ahead = items.filter(({ upcomingCount }) => upcomingCount > 0);
    for (const { id } of ahead) expect((await app.call('POST', `${path}/${id}/pause`, 'CLINIC')).status).toBe(200);
    for (const time of [app.time, '2028-06-01T10:00:00Z']) {
      const visitor = await ConsolePage.open(browser, { url: app.url, time });
      await visitor.signInAs('Client 1');
      await visitor.page.getByText('Your Sessions are paused').waitFor();
      await visitor.settle();
      expect(await visitor.page.getByText('Later Sessions').count()).toBe(time === app.time ? 1 : 0);
      await visitor.close();
    }
    for (const { id } of ahead) expect((await app.call('POST', `${path}/${id}/resume`, 'CLINIC')).status).toBe(200);
  });

  it('takes a change back, with a message, if the service refuses it', async () => {
    await client.signInAs('Client 1');
    await client.page.getByText('3 of 12 done').waitFor();
    await client.page.route('**/complete', (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        json: { type: 'urn:problem:conflict', title: 'Conflict', status: 409, detail: 'Not now.', instance: '' },
      }),
    );
    await client.page
      .getByRole('button', { name: /as done$/, pressed: false })
      .first()
      .click();
    await client.page.getByText('Not now. Nothing was saved: the page shows the earlier state again.').waitFor();
    await client.page.getByText('3 of 12 done').waitFor();
  });

  it('explains refusals in the language of the browser, and marks the text of the service as English', async () => {
    const german = await ConsolePage.open(browser, app, { viewport: { width: 390, height: 844 }, locale: 'de-DE' });
    await german.page.getByRole('button', { name: /^Klient 1 / }).click();
    await german.page.getByText('3 von 12 erledigt').waitFor();
    let status = 409;
    await german.page.route('**/complete', (route) =>
      route.fulfill({
        status,
        contentType: 'application/problem+json',
        json: { type: 'urn:problem:x', title: 'Title', status, detail: 'Not now.', instance: '' },
      }),
    );
    const toast = german.page.locator('.toast');
    const refuseWith = async (next: number) => {
      status = next;
      await german.page
        .getByRole('button', { name: /als erledigt/, pressed: false })
        .first()
        .click();
      await toast.waitFor();
      const texts = {
        title: await toast.locator('.toast-title').textContent(),
        detail: await toast.locator('.small').textContent(),
      };
      const english = await toast.locator('[lang=en]').allTextContents();
      await toast.getByRole('button', { name: 'Schließen' }).click();
      await toast.waitFor({ state: 'detached' });
      return { ...texts, english };
    };
    const reverted = 'Nichts wurde gespeichert: Die Seite zeigt wieder den früheren Stand.';
    const serviceText = 'Not now. ';
    expect(await refuseWith(409)).toEqual({
      title: 'Jetzt nicht möglich',
      detail: serviceText + reverted,
      english: [serviceText],
    });
    expect(await refuseWith(404)).toEqual({
      title: 'Nicht gefunden',
      detail: `Das gibt es nicht, oder Sie dürfen es nicht sehen. ${reverted}`,
      english: [],
    });
    expect(await refuseWith(500)).toEqual({
      title: 'Der Dienst kann nicht antworten',
      detail: `Bitte versuchen Sie es gleich noch einmal. ${reverted}`,
      english: [],
    });
    await german.close();
  });

  it('tells why the service does not accept preferences, in text that is marked as English', async () => {
    const german = await ConsolePage.open(browser, app, { viewport: { width: 390, height: 844 }, locale: 'de-DE' });
    await german.page.getByRole('button', { name: /^Klient 1 / }).click();
    await german.page.getByText('von 12 erledigt').waitFor();
    let errors: object[] = [];
    await german.page.route('**/reminder-preference', (route) =>
      route.request().method() === 'GET'
        ? route.continue()
        : route.fulfill({
            status: 422,
            contentType: 'application/problem+json',
            json: {
              type: 'urn:problem:unprocessable',
              title: 'T',
              status: 422,
              detail: 'Not so.',
              instance: '',
              errors,
            },
          }),
    );
    await german.goTo('/preferences');
    await german.page.getByRole('checkbox', { name: 'Zu Hausaufgaben' }).uncheck();
    const save = german.page.getByRole('button', { name: 'Speichern', exact: true });
    await save.press('Enter');
    const waitForEnglish = (hasText: string) =>
      german.page.getByRole('alert').locator('[lang=en]', { hasText }).waitFor();
    await waitForEnglish('Not so.');
    errors = [{ pointer: '/channels/0', detail: 'No such channel.' }];
    await save.press('Enter');
    await waitForEnglish('No such channel.');
    expect(await german.listAxeViolations()).toEqual([]);
    await german.close();
  });

  it('keeps no token outside of its memory, and gets another one when it is refused', async () => {
    let token = '';
    let refused = 0;
    client.page.on('request', (request) => {
      token = request.headers()['authorization']?.slice('Bearer '.length) ?? token;
    });
    await client.page.route('**/gateway/profile/client/homework**', async (route) => {
      refused += 1;
      if (refused > 1) await route.continue();
      else await route.fulfill({ status: 401, contentType: 'application/problem+json', body: '{}' });
    });
    await client.signInAs('Client 1');
    await client.page.getByText('3 of 12 done').waitFor();
    expect(refused).toBeGreaterThan(1);
    expect(token).toMatch(/^eyJ/);
    expect(await client.readStorage()).not.toContain('eyJ');
    // After reloading the page, the visitor must sign in again.
    await client.page.reload();
    await client.page.getByRole('heading', { name: 'Who would you like to be?' }).waitFor();
  });

  it('tells that the connection is lost, and recovers by itself', async () => {
    await client.signInAs('Client 1');
    await client.page.getByText('3 of 12 done').waitFor();
    await client.context.setOffline(true);
    await client.page.getByText('No connection to the service').waitFor();
    expect(await client.listAxeViolations()).toEqual([]);
    await client.context.setOffline(false);
    await client.page.getByText('No connection to the service').waitFor({ state: 'detached' });
  });

  it('switches to another person, who sees nothing of the one before, and speaks their language', async () => {
    await client.signInAs('Client 1');
    await client.page.getByText('Your next Session').waitFor();
    await client.page.route('**/complete', (route) => route.fulfill({ status: 403, body: '{}' }));
    await client.page
      .getByRole('button', { name: /as done$/, pressed: false })
      .first()
      .click();
    await client.page.locator('.toast-danger').waitFor();
    await client.page.getByRole('button', { name: 'Language and colours' }).click();
    await client.page.getByRole('radio', { name: 'Deutsch' }).check();
    await client.page.getByText('Ihre nächste Sitzung').waitFor();
    await client.page.keyboard.press('Escape');
    await client.page.getByRole('button', { name: 'Angemeldet als Klient 1' }).click();
    await client.page.getByRole('button', { name: 'Klient 2', exact: true }).click();
    await client.page.getByText('Breathing exercises').first().waitFor();
    await client.settle();
    expect(await client.page.getByText('Sleep session').count()).toBe(0);
    expect(await client.page.locator('.toast').count()).toBe(0);
    expect(await client.page.locator('html').getAttribute('lang')).toBe('de');
    expect(await client.page.evaluate('document.activeElement.tagName')).not.toBe('BUTTON');
  });
});
