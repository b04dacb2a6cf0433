import type { Browser, Locator, Page, Request } from 'playwright-core';
import { ReminderDispatcher } from '../../src/reminder/index.js';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { createAssignedClient, createCareProvider, createDailySessions } from '../support/app/demonstration-records.js';
import { CONSOLE_TIME, ConsolePage, startConsole } from '../support/browser/console-page.js';
import { waitFor } from '../support/app/test-app.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/* Tests the week of a Care Provider and of a Clinic in a real browser with the demonstration. */

type SavedItem = { id: number; version: number };

describeInBrowser('the console: week', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  let console: ConsolePage;

  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });
  beforeEach(async () => {
    console = await ConsolePage.open(browser, app, { viewport: { width: 1280, height: 1000 } });
  });
  afterEach(() => console.close());

  const readSession = async (id: number) => (await app.get(`/gateway/profile/clinic/session/${id}`, 'CLINIC')).body;
  /** Finds the upcoming Session of Client 2 in this week or the next one. */
  const findAhead = async () => {
    const path = `/gateway/profile/clinic/session?clientId=2&status=SCHEDULED&from=${CONSOLE_TIME}&limit=1`;
    return (await app.get(path, 'CLINIC')).body.items[0];
  };
  const openWeekOf = async ({ startsAt }: { startsAt: string }, view = '') => {
    await console.goTo(`/week?from=${startsAt.slice(0, 10)}${view}`);
    const session = console.page.locator('.week-event, .week-row', { hasText: 'Client 2' }).first();
    await session.waitFor();
    // Waits, because the board shows the previous week until it has loaded this one.
    await console.settle();
    return session;
  };

  it('shows a Clinic all Care Providers in one page with two calls, and moves a Session with the keyboard', async () => {
    const before = await findAhead();
    await console.signInAs('Clinic 1');
    const calls = await console.recordCalls();
    const session = await openWeekOf(before);
    expect(calls.length).toBeLessThanOrEqual(4);
    expect(await console.listAxeViolations()).toEqual([]);
    await session.focus();
    await console.page.keyboard.press('Enter');
    const dialog = console.page.getByRole('dialog');
    await dialog.getByText('To the Client').first().waitFor();
    // The days are counted from the previous Session to this one, and not to today.
    await dialog.getByText('Before this Session').click();
    await dialog.getByText(/\d days? earlier/).waitFor();
    expect(await console.listAxeViolations()).toEqual([]);
    await console.page.getByRole('button', { name: 'Move…' }).press('Enter');
    await dialog.getByLabel('Start').fill('14:05');
    await dialog.getByText('What changes', { exact: true }).waitFor();
    await dialog.locator('del').waitFor();
    expect(await console.listAxeViolations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Move 1 Session' }).press('Enter');
    await console.page.getByText('Moved 1 Session.').waitFor();
    expect(await readSession(before.id)).toMatchObject({ time: '14:05' });
    await console.page.locator('.week-event', { hasText: '14:05' }).waitFor();
    expect(console.complaints).toEqual([]);
  });

  it('shows lines between days and hours, and one at the current time', async () => {
    const morning = await ConsolePage.open(browser, { url: app.url, time: '2026-11-24T10:20:00Z' });
    await morning.signInAs('Clinic 1');
    await morning.page.locator('.week-event').first().waitFor();
    await morning.settle();
    const styles = await morning.page.evaluate<string[]>(`(() => {
      const day = document.querySelector('.week-board [role=gridcell][data-date="2026-11-24"]');
      const lines = [...day.querySelectorAll('[style*="top"]')].map((line) => getComputedStyle(line).borderTopStyle);
      return [getComputedStyle(day).borderInlineStartStyle, lines.find((style) => style !== 'none')];
    })()`);
    expect(styles).toEqual(['solid', 'solid']);
    await morning.close();
  });

  it('moves a Session by dragging its box or its end, and puts it back if the reader does not go on', async () => {
    const before = await findAhead();
    await console.signInAs('Care Provider 1');
    const session = await openWeekOf(before);
    await drag(session, { down: 64, gives: 'up' });
    const dialog = console.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Move 1 Session' }).waitFor();
    await console.page.locator('.week-ghost').waitFor();
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await session.getByText(before.time).waitFor();
    await console.page.locator('.week-ghost').waitFor({ state: 'detached' });
    // Escape ends a drag, and the click that the browser then sends opens nothing.
    await drag(session, { down: 64, gives: 'Escape' });
    await console.page.locator('.week-ghost').waitFor({ state: 'detached' });
    expect(await dialog.count()).toBe(0);
    expect((await readSession(before.id)).version).toBe(before.version);
    await drag(session, { down: 33, part: 'end', gives: 'up' });
    const start = toMinutes(before.time);
    const end = start + Number(before.durationMinutes);
    await expectValue(dialog.getByLabel('Minutes'), String(toQuarter(end + 30) - start));
    await console.page.keyboard.press('Escape');
    await console.page.locator('.week-ghost').waitFor({ state: 'detached' });
    await drag(session, { down: 66, gives: 'up' });
    await dialog.getByRole('button', { name: 'Move 1 Session' }).click();
    await console.page.getByText('Moved 1 Session.').waitFor();
    expect(toMinutes((await readSession(before.id)).time)).toBe(toQuarter(start + 60));
  });

  it('drags with a finger after a long press, and scrolls without', async () => {
    const before = await findAhead();
    await console.signInAs('Care Provider 1');
    const session = await openWeekOf(before);
    const touch = await console.context.newCDPSession(console.page);
    const send = (type: 'touchStart' | 'touchMove', down: number) => {
      const { x, y } = place;
      return touch.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x: x + 20, y: y + 10 + down }] });
    };
    const moveAndLift = () => [
      ...[15, 30, 45].map((down) => send('touchMove', down)),
      touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }),
    ];
    let place = (await session.boundingBox())!;
    // The events are sent together. On a busy machine, waiting for each response would turn the tap into a long press.
    await Promise.all([send('touchStart', 0), ...moveAndLift()]);
    expect(await console.page.locator('.week-ghost').count()).toBe(0);
    place = (await session.boundingBox())!;
    await send('touchStart', 0);
    await console.page.locator('.week-ghost').waitFor();
    await Promise.all(moveAndLift());
    await console.page.getByRole('dialog').getByRole('button', { name: 'Move 1 Session' }).waitFor();
    await console.page.keyboard.press('Escape');
    expect((await readSession(before.id)).version).toBe(before.version);
    expect(console.complaints).toEqual([]);
  });

  it('takes a move back that the service refuses, and explains a conflict with both versions', async () => {
    const before = await findAhead();
    await console.signInAs('Clinic 1');
    let status = 409;
    const isRefused = (request: Request) => request.method() === 'PATCH' && !request.url().includes('dryRun');
    await console.page.route('**/session/*', (route) =>
      status !== 0 && isRefused(route.request())
        ? route.fulfill({
            status,
            contentType: 'application/problem+json',
            json: {
              type: `urn:problem:${status === 409 ? 'conflict' : 'precondition-failed'}`,
              ...{ title: 'Conflict', status, detail: 'Not now.', instance: '' },
            },
          })
        : route.continue(),
    );
    await moveTo(await openWeekOf(before, '&view=list'), '09:05');
    await console.page.getByText('Not now. Nothing was saved: the page shows the earlier state again.').waitFor();
    status = 412;
    const row = console.page.locator('.week-row', { hasText: 'Client 2' }).first();
    await row.getByText(before.time).waitFor();
    // The open dialog shows the message, because nothing outside it can be used.
    await row.click();
    for (const width of [1440, 768, 390]) {
      await console.page.setViewportSize({ width, height: 844 });
      expect(await console.page.locator('.toast').count()).toBe(1);
      expect(await listCoveredButtons(console.page)).toEqual([]);
    }
    await console.page.setViewportSize({ width: 1440, height: 900 });
    await console.page.getByRole('dialog').locator('.toast').getByRole('button', { name: 'Close' }).click();
    expect(await console.page.locator('.toast').count()).toBe(0);
    await console.page.keyboard.press('Escape');
    await moveTo(row, '09:10');
    await console.page.getByRole('columnheader').nth(2).waitFor();
    expect(await console.listAxeViolations()).toEqual([]);
    status = 0;
    await console.page.locator('.dialog-actions .button-primary').click();
    await console.page.getByText('Moved 1 Session.').waitFor();
    expect((await readSession(before.id)).time).toBe('09:10');
  });

  it('tells that the saved Session of a conflict cannot be shown, and lets the user try again', async () => {
    const before = await findAhead();
    await console.signInAs('Clinic 1');
    let isGone = true;
    await console.page.route('**/session/*', (route) => {
      const isRead = route.request().method() === 'GET';
      if (route.request().url().includes('dryRun') || (isRead && !isGone)) return route.continue();
      const [status, type] = isRead ? [404, 'not-found'] : [412, 'precondition-failed'];
      return route.fulfill({
        status,
        contentType: 'application/problem+json',
        json: { type: `urn:problem:${type}`, title: 'No', status, detail: 'No.', instance: '' },
      });
    });
    await moveTo(await openWeekOf(before, '&view=list'), '09:15');
    const dialog = console.page.getByRole('dialog');
    await dialog.getByRole('alert').getByText('Not found').waitFor();
    expect(await console.listAxeViolations()).toEqual([]);
    isGone = false;
    await dialog.getByRole('button', { name: 'Try again' }).press('Enter');
    await dialog.getByRole('button', { name: 'Keep theirs' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    // The next move can begin.
    await moveTo(console.page.locator('.week-row', { hasText: 'Client 2' }).first(), '09:20');
    await dialog.getByRole('button', { name: 'Keep theirs' }).press('Enter');
    expect((await readSession(before.id)).version).toBe(before.version);
  });

  it('tells that a move was refused also if the user has left the week meanwhile', async () => {
    const before = await findAhead();
    await console.signInAs('Clinic 1');
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await console.page.route('**/session/*', async (route) => {
      const isMove = route.request().method() === 'PATCH' && !route.request().url().includes('dryRun');
      if (!isMove) return route.continue();
      await isReleased;
      const problem = {
        type: 'urn:problem:precondition-failed',
        title: 'No',
        status: 412,
        detail: 'No.',
        instance: '',
      };
      return route.fulfill({ status: 412, contentType: 'application/problem+json', json: problem });
    });
    await moveTo(await openWeekOf(before, '&view=list'), '09:25');
    await console.goTo('/clients');
    await console.page.getByRole('link', { name: 'Demo Client 2' }).waitFor();
    release(undefined);
    await console.page.locator('.toast', { hasText: 'Changed in the meantime' }).waitFor();
  });

  it('saves what the conflict dialog shows, also in the fields that only the other person has changed', async () => {
    const caregiverId = await createCareProvider(app, 'Changes too');
    const clientId = await createAssignedClient(app, 'Two Changes', caregiverId);
    await createDailySessions(app, { clientId, caregiverId, date: '2027/05/17', sessionCount: 1 });
    const { id, version } = (await app.get(`/gateway/profile/clinic/session?clientId=${clientId}`, 'CLINIC')).body
      .items[0];
    await console.signInAs('Clinic 1');
    await console.goTo('/week?from=2027-05-17&view=list');
    await console.page.locator('.week-row', { hasText: 'Two Changes' }).click();
    await console.page.getByRole('button', { name: 'Move…' }).click();
    const dialog = console.page.getByRole('dialog');
    await dialog.getByLabel('Start').fill('09:10');
    await dialog.locator('del').waitFor();
    const theirs = { date: '2027/05/18', durationMinutes: 90 };
    const change = { 'if-match': `"${version}"` };
    expect((await app.call('PATCH', `/gateway/profile/clinic/session/${id}`, 'CLINIC', theirs, change)).status).toBe(
      200,
    );
    await dialog.getByRole('button', { name: 'Move 1 Session' }).click();
    await console.page.getByRole('row', { name: 'Length 90 minutes 5 minutes' }).waitFor();
    await console.page.getByRole('row', { name: /^Start .*18 May.*17 May.*09:10/ }).waitFor();
    await console.page.locator('.dialog-actions .button-primary').click();
    await console.page.getByText('Moved 1 Session.').waitFor();
    expect(await readSession(id)).toMatchObject({ date: '2027/05/17', time: '09:10', durationMinutes: 5 });
  });

  it('names the zone of the times that a conflict shows, if the Session has another one', async () => {
    const caregiverId = await createCareProvider(app, 'Works elsewhere');
    const clientId = await createAssignedClient(app, 'Lives Elsewhere', caregiverId);
    const body = { clientId, caregiverId, title: 'T', date: '2027/06/15', time: '15:00' };
    const sessions = '/gateway/profile/clinic/session';
    expect((await app.call('POST', sessions, 'CLINIC', body, { offset: '330' })).status).toBe(201);
    const { id, version } = (await app.get(`${sessions}?clientId=${clientId}`, 'CLINIC')).body.items[0] as SavedItem;
    await console.signInAs('Clinic 1');
    await console.goTo('/week?from=2027-06-14&view=list');
    await console.page.locator('.week-row', { hasText: 'Lives Elsewhere' }).click();
    await console.page.getByRole('button', { name: 'Move…' }).click();
    const dialog = console.page.getByRole('dialog');
    await dialog.getByText('Time zone: +05:30').waitFor();
    await dialog.getByLabel('Start').fill('16:00');
    await dialog.locator('del').waitFor();
    const change = { 'if-match': `"${version}"` };
    const theirs = { durationMinutes: 90 };
    expect((await app.call('PATCH', `${sessions}/${id}`, 'CLINIC', theirs, change)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Move 1 Session' }).click();
    // The user has typed 16:00 in the zone of the Session, so the dialog shows this time.
    await console.page.getByRole('row', { name: /^Start .*15:00 \+05:30 .*16:00 \+05:30$/ }).waitFor();
    expect(await console.listAxeViolations()).toEqual([]);
    await console.page.getByRole('button', { name: 'Keep theirs' }).click();
  });

  it('does not open a Session again that has left the week while its dialog was open', async () => {
    const { startsAt, caregiverId } = await findAhead();
    await console.signInAs('Clinic 1');
    const session = await openWeekOf({ startsAt });
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await console.page.route('**/gateway/profile/clinic/week?*caregiverId=*', async (route) => {
      await isReleased;
      await route.continue();
    });
    const from = startsAt.slice(0, 10);
    await console.goTo(`/week?from=${from}&people=${caregiverId === 1 ? 2 : 1}`);
    await console.page.locator('.week-screen[aria-busy=true]').waitFor();
    await session.press('Enter');
    const dialog = console.page.getByRole('dialog');
    await dialog.waitFor();
    release(undefined);
    await dialog.waitFor({ state: 'detached' });
    await console.goTo(`/week?from=${from}`);
    await session.waitFor();
    await console.settle();
    expect(await dialog.count()).toBe(0);
    expect(console.complaints).toEqual([]);
  });

  it('shows the preview once more when a move of a series is saved after a conflict', async () => {
    const caregiverId = await createCareProvider(app, 'Changes one');
    const clientId = await createAssignedClient(app, 'Series Changes', caregiverId);
    await createDailySessions(app, { clientId, caregiverId, date: '2027/05/24', sessionCount: 2 });
    const list = async () =>
      (await app.get(`/gateway/profile/clinic/session?clientId=${clientId}`, 'CLINIC')).body.items as SavedItem[];
    const [{ id, version }] = (await list()) as [SavedItem];
    await console.signInAs('Clinic 1');
    await console.goTo('/week?from=2027-05-24&view=list');
    await console.page.locator('.week-row', { hasText: 'Series Changes' }).first().click();
    await console.page.getByRole('button', { name: 'Move…' }).click();
    const dialog = console.page.getByRole('dialog');
    await dialog.getByLabel('Start').fill('09:10');
    await dialog.getByLabel('The whole series').check();
    await dialog.getByRole('button', { name: 'Move 2 Sessions' }).waitFor();
    const theirs = { durationMinutes: 90 };
    const change = { 'if-match': `"${version}"` };
    expect((await app.call('PATCH', `/gateway/profile/clinic/session/${id}`, 'CLINIC', theirs, change)).status).toBe(
      200,
    );
    await dialog.getByRole('button', { name: 'Move 2 Sessions' }).click();
    await console.page.getByRole('row', { name: 'Length 90 minutes 5 minutes' }).waitFor();
    await console.page.locator('.dialog-actions .button-primary').click();
    await dialog.getByRole('button', { name: 'Move 2 Sessions' }).click();
    await console.page.getByText('Moved 2 Sessions.').waitFor();
    const saved = { time: '09:10', durationMinutes: 5 };
    expect(await list()).toMatchObject([saved, saved]);
  });

  it('does not undo a step of a colleague that the user has not seen, and then shows it', async () => {
    const path = '/gateway/profile/clinic/session/1';
    const { startsAt, time } = await readSession(1);
    expect((await app.call('POST', `${path}/complete`, 'CLINIC')).status).toBe(200);
    await console.signInAs('Clinic 1');
    await console.goTo(`/week?from=${startsAt.slice(0, 10)}&view=list`);
    const row = console.page.locator('.week-row', { hasText: 'Client 1' }).filter({ hasText: time });
    await row.filter({ hasText: 'Took place' }).click();
    for (const step of ['undo', 'no-show'])
      expect((await app.call('POST', `${path}/${step}`, 'CLINIC')).status).toBe(200);
    await console.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await console.page.getByText('Changed in the meantime').waitFor();
    await console.page.getByText('Nothing was saved: the page shows the earlier state again.').waitFor();
    expect((await readSession(1)).status).toBe('NO_SHOW');
    await console.page.locator('.toast').getByRole('button', { name: 'Close' }).click();
    // The row shows the saved Session, so the next step succeeds.
    await row.filter({ hasText: 'No-show' }).click();
    await console.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await console.page.getByText('is as it was before').waitFor();
    expect((await readSession(1)).status).toBe('SCHEDULED');
  });

  it('offers to record the outcome as soon as the Session starts, while its dialog stays open', async () => {
    const ahead = await findAhead();
    await console.close();
    console = await ConsolePage.open(browser, { url: app.url });
    await console.page.clock.install({ time: Date.parse(ahead.startsAt) - 60_000 });
    await console.signInAs('Clinic 1');
    await (await openWeekOf(ahead, '&view=list')).click();
    const dialog = console.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Move' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'No-show' }).count()).toBe(0);
    await console.page.clock.fastForward(61_000);
    await dialog.getByRole('button', { name: 'No-show' }).waitFor();
  });

  it('takes a step back before the week is loaded again', async () => {
    const { id, startsAt } = await findAhead();
    await console.signInAs('Clinic 1');
    const row = await openWeekOf({ startsAt }, '&view=list');
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await console.page.route('**/gateway/profile/clinic/week?*', async (route) => {
      await isReleased;
      await route.continue();
    });
    await row.click();
    await console.page.getByRole('button', { name: 'Cancel…' }).click();
    await console.page.getByRole('dialog').getByRole('button', { name: 'Cancel the Session' }).click();
    await console.page.getByText(/^Cancelled: the Session of/).waitFor();
    await row.click();
    await console.page.getByRole('button', { name: 'Undo' }).click();
    await console.page.getByText('is as it was before').waitFor();
    expect((await readSession(id)).status).toBe('SCHEDULED');
    release(undefined);
    expect(console.complaints).toEqual([]);
  });

  it('goes on showing a step that is still being saved after an earlier one has been saved', async () => {
    const caregiverId = await createCareProvider(app, 'Two steps');
    const clientId = await createAssignedClient(app, 'Quick Steps', caregiverId);
    await createDailySessions(app, { clientId, caregiverId, date: '2027/08/09', sessionCount: 2 });
    await console.signInAs('Clinic 1');
    const releases: (() => void)[] = [];
    await console.page.route('**/session/*/cancel*', async (route) => {
      await new Promise<void>((resolve) => releases.push(resolve));
      await route.continue();
    });
    await console.goTo('/week?from=2027-08-09&view=list');
    const rows = console.page.locator('.week-row', { hasText: 'Quick Steps' });
    for (const index of [0, 1]) {
      await rows.nth(index).click();
      await console.page.getByRole('button', { name: 'Cancel…' }).click();
      await console.page.getByRole('dialog').getByRole('button', { name: 'Cancel the Session' }).click();
    }
    const cancelled = rows.filter({ hasText: 'Cancelled' });
    await cancelled.nth(1).waitFor();
    releases[0]!();
    await console.page.getByText(/^Cancelled: the Session of/).waitFor();
    // Longer than it takes to load the week.
    await console.page.waitForTimeout(500);
    expect(await cancelled.count()).toBe(2);
    await waitFor(() => Promise.resolve(releases.length === 2));
    releases[1]!();
    await console.settle();
    const { items } = (await app.get(`/gateway/profile/clinic/session?clientId=${clientId}`, 'CLINIC')).body;
    expect(items).toMatchObject([{ status: 'CANCELLED' }, { status: 'CANCELLED' }]);
    expect(await cancelled.count()).toBe(2);
  });

  it('cancels a Session and takes it back, on a phone', async () => {
    const before = await findAhead();
    await console.signInAs('Clinic 1');
    await console.page.setViewportSize({ width: 390, height: 844 });
    const row = await openWeekOf(before);
    expect(await console.listAxeViolations()).toEqual([]);
    await row.click();
    await console.page.getByRole('button', { name: 'Cancel…' }).click();
    const dialog = console.page.getByRole('dialog');
    await dialog.getByText(before.title).waitFor();
    await dialog.getByText(before.time).waitFor();
    await dialog.getByLabel('The whole series').check();
    await dialog.getByText('for each Session separately').waitFor();
    await dialog.getByLabel('This one').check();
    await dialog.getByLabel('Reason').selectOption('ILLNESS');
    await dialog.getByRole('button', { name: 'Cancel the Session' }).click();
    await row.getByText('Cancelled').waitFor();
    await console.page.getByText(/^Cancelled: the Session of/).waitFor();
    expect(await readSession(before.id)).toMatchObject({ status: 'CANCELLED', cancellation: { reason: 'ILLNESS' } });
    await row.click();
    await console.page.getByRole('button', { name: 'Undo' }).click();
    await console.page.getByText('is as it was before').waitFor();
    expect((await readSession(before.id)).status).toBe('SCHEDULED');
    expect(await row.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(console.complaints).toEqual([]);
  });

  it('tells which overlaps there are when a cancelled Session takes place again', async () => {
    const { id, clientId, date, time, startsAt } = await findAhead();
    await app.call('POST', `/gateway/profile/clinic/session/${id}/cancel`, 'CLINIC', { reason: 'OTHER' });
    const booking = { clientId, date: date.replaceAll('-', '/'), time, title: 'Talk' };
    const booked = await app.call('POST', '/gateway/profile/caregiver/session', 'CARE_PROVIDER', booking);
    const { items } = (await app.get(booked.headers.get('location')!, 'CARE_PROVIDER')).body;
    await console.signInAs('Clinic 1');
    await openWeekOf({ startsAt }, '&view=list');
    await console.page.locator('.week-row', { hasText: 'Client 2' }).filter({ hasText: 'Cancelled' }).click();
    await console.page.getByRole('button', { name: 'Undo' }).click();
    const warning = console.page.locator('.toast-attention', { hasText: '1 overlap with another Session' });
    await warning.waitFor();
    expect(await console.listAxeViolations()).toEqual([]);
    // The warning stays until it is closed.
    await warning.getByRole('button', { name: 'Close' }).click();
    await warning.waitFor({ state: 'detached' });
    expect((await readSession(id)).conflictCount).toBe(1);
    await app.call('POST', `/gateway/profile/clinic/session/${items[0].id}/cancel`, 'CLINIC', { reason: 'OTHER' });
  });

  it('shows that it still shows the previous week, until the chosen one has been loaded', async () => {
    await console.signInAs('Clinic 1');
    await openWeekOf(await findAhead());
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await console.page.route('**/gateway/profile/clinic/week?*', async (route) => {
      await isReleased;
      await route.continue();
    });
    await console.page.getByRole('button', { name: 'Next week' }).click();
    await console.page.locator('.week-screen[aria-busy=true]').waitFor();
    release(undefined);
    await console.page.locator('.week-screen[aria-busy=false]').waitFor();
    expect(console.complaints).toEqual([]);
  });

  it('shows the calendar again when a narrow screen becomes wide, also after a change of the week', async () => {
    await console.page.setViewportSize({ width: 390, height: 844 });
    await console.signInAs('Clinic 1');
    await console.page.locator('.week-list').waitFor();
    await console.page.getByRole('button', { name: 'Next week' }).click();
    await console.page.waitForURL(/from=/);
    await console.page.setViewportSize({ width: 1280, height: 1000 });
    await console.page.locator('.week-board[data-measured=true]').waitFor();
    expect(await console.page.getByRole('radio', { name: 'Calendar' }).isChecked()).toBe(true);
  });

  it('fits a screen of 320 pixels, also with the longest state', async () => {
    await console.page.setViewportSize({ width: 320, height: 640 });
    await console.signInAs('Clinic 1');
    await console.page.locator('.header-end button').first().click();
    await console.page.getByRole('radio', { name: 'Deutsch' }).check();
    await console.goTo('/week?from=2026-11-16');
    await console.page.locator('.week-row').getByText('Nicht erschienen').waitFor();
    const { scrollWidth } = await console.page.evaluate<{ scrollWidth: number }>(
      '({ scrollWidth: document.documentElement.scrollWidth })',
    );
    expect(scrollWidth).toBe(320);
  });

  it('sends the whole note of a cancellation, or tells that it is too long', async () => {
    const caregiverId = await createCareProvider(app, 'Long notes');
    const clientId = await createAssignedClient(app, 'Long Note', caregiverId);
    await createDailySessions(app, { clientId, caregiverId, date: '2027/05/03', sessionCount: 1 });
    await console.signInAs('Clinic 1');
    await console.goTo('/week?from=2027-05-03&view=list');
    await console.page.locator('.week-row', { hasText: 'Long Note' }).click();
    await console.page.getByRole('button', { name: 'Cancel…' }).click();
    const dialog = console.page.getByRole('dialog');
    await dialog.getByLabel('Note').fill(`${'💬'.repeat(500)}12`);
    await console.page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    await dialog.getByText('At most 500 characters: 2 too many.').waitFor();
    expect(await console.listAxeViolations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel the Session' }).click();
    await console.page.locator('textarea:focus').fill('💬'.repeat(500));
    await dialog.getByRole('button', { name: 'Cancel the Session' }).click();
    await console.page.getByText(/^Cancelled: the Session of/).waitFor();
    const path = `/gateway/profile/clinic/session?clientId=${clientId}`;
    const { items } = (await app.get(path, 'CLINIC')).body;
    expect(items).toMatchObject([{ status: 'CANCELLED', cancellation: { note: '💬'.repeat(500) } }]);
    expect(console.complaints).toEqual([]);
  });

  it('shows all reminders of a Session, also if they fill more than one page of the service', async () => {
    const caregiverId = await createCareProvider(app, 'Reminds often');
    const clientId = await createAssignedClient(app, 'Much Homework', caregiverId);
    const remindOn = (reminderDay: number) =>
      Array.from({ length: 20 }, (_, minute) => ({ reminderDay, time: `18:${10 + minute}` }));
    const assignments = [2, 3].flatMap((day) =>
      [1, 2, 3, 4, 5, 6].map((bookId) => ({ bookId, assignReminds: remindOn(day) })),
    );
    const plan = { planName: 'Much homework', appointmentTitle: 'Review', weeks: [{ assignments }] };
    const plans = '/gateway/profile/clinic/design-plan';
    const created = await app.call('POST', plans, 'CLINIC', plan);
    const id = created.headers.get('location')!.split('/').at(-1)!;
    const body = { clientId, caregiverId, date: '2027/05/17', time: '09:30' };
    const applied = await app.call('POST', `${plans}/${id}/apply`, 'CLINIC', body);
    expect([created.status, applied.status]).toEqual([201, 201]);
    await console.signInAs('Clinic 1');
    await console.goTo('/week?from=2027-05-17&view=list');
    await console.page.locator('.week-row', { hasText: 'Much Homework' }).click();
    const reminders = console.page.getByRole('dialog').locator('li', { hasText: 'To the Client' });
    await reminders.first().waitFor();
    expect(await reminders.count()).toBe(240);
  });

  it('tells that no message says that a Session is cancelled, if its reminder was sent', async () => {
    const caregiverId = await createCareProvider(app, 'Cancels late');
    const clientId = await createAssignedClient(app, 'Was Reminded', caregiverId);
    const body = { clientId, caregiverId, title: 'T', date: '2027/05/10', time: '09:30', remindDays: 0 };
    expect((await app.call('POST', '/gateway/profile/clinic/session', 'CLINIC', body)).status).toBe(201);
    await app.nest.get(ReminderDispatcher).dispatchDue();
    const sent = `/gateway/profile/clinic/reminder?recipientId=${clientId}&recipientKind=CLIENT&status=SENT`;
    await waitFor(async () => (await app.get(sent, 'CLINIC')).body.items.length === 1);
    await console.signInAs('Clinic 1');
    await console.goTo('/week?from=2027-05-10&view=list');
    await console.page.locator('.week-row', { hasText: 'Was Reminded' }).click();
    await console.page.getByRole('button', { name: 'Cancel…' }).click();
    await console.page.getByRole('dialog').getByRole('button', { name: 'Cancel the Session' }).click();
    const hasText = 'no message says that the Session does not take place';
    await console.page.locator('.toast-attention', { hasText }).waitFor();
    expect(await console.listAxeViolations()).toEqual([]);
    expect(console.complaints).toEqual([]);
  });

  it('shows the time and the Client of a short Session inside its box', async () => {
    const caregiverId = await createCareProvider(app, 'Calls often');
    const clientId = await createAssignedClient(app, 'Short Call', caregiverId);
    await createDailySessions(app, { clientId, caregiverId, date: '2027/06/21', sessionCount: 1 });
    await console.signInAs('Clinic 1');
    await console.goTo('/week?from=2027-06-21');
    const box = console.page.locator('.week-event', { hasText: 'Short Call' });
    await console.page.locator('.week-board[data-measured=true]').waitFor();
    const outside = await box.evaluate((element) => {
      const area = element.getBoundingClientRect() as Rectangle;
      return [...element.querySelectorAll('.week-event-time, .week-event-who')].filter((part) => {
        const { y, height } = part.getBoundingClientRect() as Rectangle;
        return height === 0 || y < area.y || y + height > area.y + area.height;
      }).length;
    });
    expect(outside).toBe(0);
    expect(await console.listAxeViolations()).toEqual([]);
  });

  it('says in the print that it has only the chosen Care Providers, and their names', async () => {
    const { startsAt, caregiverId } = await findAhead();
    await console.signInAs('Clinic 1');
    await openWeekOf({ startsAt }, `&people=${caregiverId}`);
    await console.page.emulateMedia({ media: 'print' });
    await console.page.getByRole('heading', { level: 1, name: 'The week of the chosen Care Providers' }).waitFor();
    const caption = await console.page.locator('.week-print caption').innerText();
    expect(caption).toMatch(/^Care Providers: .*Care Provider \d$/);
    await console.goTo(`/week?from=${startsAt.slice(0, 10)}`);
    await console.page.getByRole('heading', { level: 1, name: 'The week of all Care Providers' }).waitFor();
    expect(await console.page.locator('.week-print caption').count()).toBe(0);
  });

  it('says a clock change in a sentence, in the language of the reader, and prints a table', async () => {
    await console.signInAs('Clinic 1');
    await console.goTo('/week?from=2027-03-28');
    await console.page.getByText('the clocks go forward by 1 hour').waitFor();
    await console.page.locator('.week-day-change').waitFor();
    expect(await console.listAxeViolations()).toEqual([]);
    await console.page.emulateMedia({ media: 'print' });
    expect(await console.page.locator('.week-print').isVisible()).toBe(true);
    expect(await console.page.locator('.week-board').isVisible()).toBe(false);
  });

  async function moveTo(session: Locator, time: string): Promise<void> {
    await session.click();
    await console.page.getByRole('button', { name: 'Move…' }).click();
    await console.page.getByRole('dialog').getByLabel('Start').fill(time);
    await console.page.getByRole('button', { name: 'Move 1 Session' }).click();
  }

  type Rectangle = { x: number; y: number; width: number; height: number };

  /** Returns the title and buttons of the open dialog whose centre is covered by another element. */
  const listCoveredButtons = (page: Page): Promise<string[]> =>
    page.locator('dialog[open] :is(h2, button)').evaluateAll((elements) =>
      elements.flatMap((element) => {
        const { x, y, width, height } = element.getBoundingClientRect() as Rectangle;
        const top = element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2);
        return top !== null && element.contains(top) ? [] : [element.textContent];
      }),
    );

  type Way = { down: number; part?: 'end'; gives: 'up' | 'Escape' };

  async function drag(session: Locator, { down, part, gives }: Way): Promise<void> {
    const { x, y, width, height } = (await session.boundingBox())!;
    const { mouse, keyboard } = console.page;
    const [left, top] = [x + width / 2, y + (part === 'end' ? height - 3 : 10)];
    await mouse.move(left, top);
    await mouse.down();
    await mouse.move(left, top + down / 2, { steps: 4 });
    await mouse.move(left, top + down, { steps: 4 });
    if (gives === 'Escape') await keyboard.press('Escape');
    await mouse.up();
  }

  const expectValue = async (field: Locator, value: string) => {
    await field.waitFor();
    expect(await field.inputValue()).toBe(value);
  };
  const toQuarter = (minute: number) => Math.round(minute / 15) * 15;
  const toMinutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
});
