import type { Browser } from 'playwright-core';
import type { DemonstrationApp } from '../support/app/demonstration-app.js';
import { ConsolePage, startConsole } from '../support/browser/console-page.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

describeInBrowser('the plan editor of a Clinic', () => {
  let app: DemonstrationApp;
  let browser: Browser;
  let clinic: ConsolePage;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startConsole(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });
  beforeEach(async () => {
    clinic = await ConsolePage.open(browser, app, { viewport: { width: 1440, height: 1000 } });
    await clinic.signInAs('Clinic 1');
  });
  afterEach(() => clinic.close());

  const PATH = '/gateway/profile/clinic/design-plan';
  const planOf = async (id: number) => (await app.get(`${PATH}/${id}`, 'CLINIC')).body;
  const booksOf = async (id: number): Promise<number[][]> =>
    (await planOf(id)).weeks.map(({ assignments }: { assignments: { bookId: number }[] }) =>
      assignments.map(({ bookId }) => bookId),
    );
  const replacePlan = async (id: number, version: number, body: object) => {
    const headers = { authorization: `bearer ${await app.createToken('CLINIC')}`, 'if-match': `"${version}"` };
    const init = { method: 'PUT', headers: { ...headers, 'content-type': 'application/json' } };
    expect((await fetch(`${app.url}${PATH}/${id}`, { ...init, body: JSON.stringify(body) })).status).toBe(200);
  };
  /** Creates a plan with these Books in each week, and returns its id. */
  const createPlan = async (planName: string, weeks: readonly (readonly number[])[]) => {
    const toWeek = (ids: readonly number[]) => ({ assignments: ids.map((bookId) => ({ bookId })) });
    const { headers } = await app.call('POST', PATH, 'CLINIC', { planName, weeks: weeks.map(toWeek) });
    return headers.get('location')!.split('/').at(-1)!;
  };
  const exported = async (id: string): Promise<string> =>
    JSON.stringify((await app.get(`${PATH}/${id}/export`, 'CLINIC')).body);
  const button = (name: string | RegExp) => clinic.page.getByRole('button', { name });
  /** Waits for a new plan in the URL, and returns its id. */
  const newId = async () => {
    await clinic.page.waitForURL(/#\/plan\/\d+$/);
    return Number(/\d+$/.exec(clinic.page.url())![0]);
  };

  it('lists plans, templates and the archive, and makes a plan of a template', async () => {
    await clinic.goTo('/plan');
    await clinic.page.getByRole('link', { name: 'Eight weeks of better sleep' }).waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await clinic.page.getByLabel('Search plans').fill('nothing like this');
    await clinic.page.getByText('No plan has this in its name').waitFor();
    await clinic.page.getByRole('radio', { name: 'Archive' }).check();
    await button('Show all').click();
    await clinic.page.getByText('The archive is empty').waitFor();
    await clinic.page.getByRole('radio', { name: 'Templates' }).check();
    await button('Use template “Two weeks of activity”').click();
    await clinic.page.getByLabel('Name').fill('Activity for me');
    await clinic.page.keyboard.press('Enter');
    await clinic.page.getByRole('heading', { level: 1, name: 'Activity for me' }).waitFor();
    expect(await planOf(await newId())).toMatchObject({ planName: 'Activity for me', template: false, revision: 1 });
    expect(clinic.complaints).toEqual([]);
  });

  it('calls no shelf empty before its plans are loaded', async () => {
    const { page } = clinic;
    await clinic.goTo('/plan?shelf=archive');
    await page.getByText('The archive is empty').waitFor();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route(`**${PATH}?*`, async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.getByRole('radio', { name: 'Templates' }).check();
    await page.locator('.skeleton').or(page.getByText('No template yet')).first().waitFor();
    expect(await page.getByText('No template yet').count()).toBe(0);
    release(undefined);
    await page.getByRole('link', { name: 'Two weeks of activity' }).waitFor();
    expect(clinic.complaints).toEqual([]);
  });

  it('makes a plan with the keyboard alone, and asks before changes are lost', async () => {
    const { keyboard } = clinic.page;
    await clinic.goTo('/plan/new');
    await button('Create plan').press('Enter');
    await clinic.page.getByText('must not be empty').waitFor();
    await clinic.page.getByLabel('Name', { exact: true }).fill('Keys only');
    await button('Add Book to week 1').press('Enter');
    await clinic.page.getByLabel('Search Books').last().fill('diary');
    await clinic.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Sleep diary/ })
      .press('Enter');
    await keyboard.press('Escape');
    await button(/^Sleep diary ?No reminder/).press('Enter');
    await clinic.page.getByText('Times are in the time zone of the Client.').waitFor();
    await button('Add time').press('Enter');
    await button('Day 3, 18:00').press('Enter');
    await button('Day 6, 18:00').press('Enter');
    expect(await clinic.listAxeViolations()).toEqual([]);
    await button('Done').press('Enter');
    await button('Duplicate week 1').press('Enter');
    await button(/^Sleep diary/)
      .first()
      .press('Alt+ArrowRight');
    await button('Undo').press('Enter');
    await button('Add “Worry time” to weeks').press('Enter');
    await button('Select all').press('Enter');
    await button('Add to 2 weeks').press('Enter');
    await clinic.goTo('/plan');
    await clinic.page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await button('Stay here').press('Enter');
    await keyboard.press('Control+s');
    await clinic.page.getByRole('heading', { level: 1, name: 'Keys only' }).waitFor();
    const { weeks } = await planOf(await newId());
    const reminders = [3, 6].map((reminderDay) => ({ reminderDay, time: '18:00' }));
    const books = [
      expect.objectContaining({ assignReminds: reminders }),
      expect.objectContaining({ assignReminds: [] }),
    ];
    expect(weeks).toEqual([1, 2].map((ordering) => ({ name: `Week ${ordering}`, ordering, assignments: books })));
    expect(clinic.complaints).toEqual([]);
  });

  it('announces an action in the dialog in which the user makes it, and then on the page', async () => {
    const { page } = clinic;
    await clinic.goTo(`/plan/${await createPlan('Announced', [[1], []])}`);
    const said = page.getByRole('status').filter({ hasText: /“Sleep diary/ });
    const dialog = page.getByRole('dialog');
    await button('Add Book to week 2').click();
    await dialog.getByRole('button', { name: /^Sleep diary/ }).click();
    await dialog
      .getByRole('status')
      .filter({ hasText: /^“Sleep diary.*” was added\.$/ })
      .waitFor({ state: 'attached' });
    expect(await said.count()).toBe(1);
    await button('Done').click();
    // The dialog of the Book does not repeat what was said before.
    await button(/^Sleep diary/)
      .first()
      .click();
    await dialog.getByRole('heading', { name: /^Sleep diary/ }).waitFor();
    expect(await said.count()).toBe(0);
    await button('Remove from week 1').click();
    await said.filter({ hasText: 'was removed from week 1.' }).waitFor({ state: 'attached' });
    expect(await dialog.count()).toBe(0);
    await button(/^Sleep diary/).click();
    await dialog.getByLabel('Week', { exact: true }).selectOption({ label: 'Week 1' });
    await dialog
      .getByRole('status')
      .filter({ hasText: 'is now in week 1, at position 1.' })
      .waitFor({ state: 'attached' });
    expect(clinic.complaints).toEqual([]);
  });

  it('announces an action that has the same text as the last one', async () => {
    const { page } = clinic;
    await clinic.goTo(`/plan/${await createPlan('Announced twice', [[1], [1]])}`);
    const books = button(/^Sleep diary/);
    const said = page.getByRole('status').filter({ hasText: /^“Sleep diary” was removed from week 1\./ });
    const texts: (string | null)[] = [];
    for (let time = 1; time <= 2; time += 1) {
      await books.nth(1).waitFor();
      await books.first().press('Delete');
      await books.nth(1).waitFor({ state: 'detached' });
      texts.push(await said.textContent());
      await page.keyboard.press('Control+z');
    }
    // Screen readers announce only a text that changes.
    expect(texts[1]).not.toBe(texts[0]);
    expect(clinic.complaints).toEqual([]);
  });

  it('creates a plan once if the response is lost and the user tries again', async () => {
    const { page } = clinic;
    await clinic.goTo('/plan');
    await clinic.goTo('/plan/new');
    await page.getByLabel('Name', { exact: true }).fill('Lost and found');
    let isLost = true;
    await page.route('**/clinic/design-plan', async (route) => {
      if (!isLost || route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await button('Create plan').press('Enter');
    await page.getByText('The service could not be reached').first().waitFor({ timeout: 15_000 });
    isLost = false;
    // The message is shown before the reloads of the failed change have ended. Until then, the button is busy.
    await page.locator('.plan-editor-save [aria-busy=true]').waitFor({ state: 'detached' });
    await button('Create plan').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lost and found' }).waitFor();
    const { body } = await app.get('/gateway/profile/clinic/design-plan?name=lost', 'CLINIC');
    expect(body.items).toHaveLength(1);
    // Not to the empty page on which the plan was created.
    await page.goBack();
    await page.getByRole('link', { name: 'Lost and found' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/plan');
  });

  it('saves once while a save runs, and keeps what is typed meanwhile', async () => {
    const { page } = clinic;
    const saves: string[] = [];
    let release: () => void = () => undefined;
    await page.route(`**${PATH}{,/*,?*}`, async (route) => {
      const method = route.request().method();
      if (method === 'GET') return route.continue();
      saves.push(method);
      await new Promise<void>((resolve) => (release = resolve));
      return route.continue();
    });
    const saveThrice = async () => {
      for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Control+s');
      await page.locator('.plan-editor-save [aria-busy=true]').waitFor();
    };
    const field = (name: string) => page.getByLabel(name);
    await clinic.goTo('/plan/new');
    await page.getByLabel('Name', { exact: true }).fill('Typed while saving');
    await saveThrice();
    await field('Description of the Sessions').fill('Typed during the first save');
    expect(saves).toEqual(['POST']);
    release();
    await page.getByText('Saved as revision 1.').waitFor();
    await page.getByText('Changes not saved').waitFor();
    expect(await field('Description of the Sessions').inputValue()).toBe('Typed during the first save');
    await page.locator('.plan-editor-save .button-primary[aria-busy=false]').waitFor();
    await saveThrice();
    release();
    const id = await newId();
    await clinic.settle();
    expect(await planOf(id)).toMatchObject({ revision: 2, appointmentDesc: 'Typed during the first save' });
    await field('Title of the Sessions').fill('First');
    await saveThrice();
    await field('Title of the Sessions').fill('Second');
    release();
    await page.getByText('Saved as revision 3.').waitFor();
    await page.getByText('Changes not saved').waitFor();
    expect(await field('Title of the Sessions').inputValue()).toBe('Second');
    expect(saves).toEqual(['POST', 'PUT', 'PUT']);
    expect((await planOf(id)).appointmentTitle).toBe('First');
    // The page still asks before the text is lost.
    await clinic.goTo('/plan');
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    expect(clinic.complaints).toEqual([]);
  });

  it('keeps a dialog that was opened while the plan is archived', async () => {
    const { page } = clinic;
    const id = await createPlan('Slowly archived', []);
    await clinic.goTo(`/plan/${id}`);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route(`**${PATH}/${id}`, async (route) => {
      if (route.request().method() === 'DELETE') await isReleased;
      await route.continue();
    });
    await button('Archive').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.keyboard.press('Escape');
    await button('Copy').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Half typed');
    release(undefined);
    await page.getByText('This plan is in the archive').waitFor();
    await clinic.settle();
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Half typed');
    expect(clinic.complaints).toEqual([]);
  });

  it('stays on the page that the user has opened while a plan is copied or imported', async () => {
    const { page } = clinic;
    const id = await createPlan('Slowly copied', []);
    for (const action of ['Copy', 'Import']) {
      const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
      await page.route(`**${PATH}/{${id}/clone,import}*`, async (route) => {
        await isReleased;
        await route.continue();
      });
      await clinic.goTo(action === 'Copy' ? `/plan/${id}` : '/plan');
      await button(action).click();
      const file = { name: 'plan.json', mimeType: 'application/json', buffer: Buffer.from(await exported(id)) };
      if (action === 'Import') await page.getByLabel('File').setInputFiles(file);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: action === 'Copy' ? 'Create' : 'Import' })
        .click();
      await page.locator('button[aria-busy=true]').waitFor();
      await clinic.goTo('/preferences');
      await page.getByRole('heading', { level: 1, name: 'Reminder preferences' }).waitFor();
      release(undefined);
      await page.locator('.toast-good').waitFor();
      await clinic.settle();
      expect(new URL(page.url()).hash).toBe('#/preferences');
      await page.unroute(`**${PATH}/{${id}/clone,import}*`);
    }
    expect(clinic.complaints).toEqual([]);
  });

  it('asks again before changes are lost if another person could not be signed in', async () => {
    const { page } = clinic;
    await clinic.goTo('/plan/new');
    await page.getByLabel('Name', { exact: true }).fill('Not lost');
    await page.getByText('Changes not saved').first().waitFor();
    await page.route('**/docs/demonstration-token', (route) => route.abort());
    await button('Signed in as Clinic 1').click();
    await button('Client 1').click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await dialog.getByText('No connection').waitFor();
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    await dialog.waitFor({ state: 'detached' });
    await clinic.goTo('/plan');
    await dialog.waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Not lost');
  });

  it('asks before the Back button leaves unsaved changes, and keeps the history', async () => {
    const { page } = clinic;
    const goBack = async () => {
      await page.evaluate('history.back()');
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
      await page.waitForURL(/#\/plan\/1$/);
    };
    await clinic.goTo('/plan');
    await clinic.settle();
    await clinic.goTo('/plan/1');
    await page.getByLabel('Name', { exact: true }).fill('Not saved');
    await page.getByText('Changes not saved').waitFor();
    await goBack();
    await button('Stay here').click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Not saved');
    await goBack();
    await button('Leave').click();
    await page.getByRole('heading', { level: 1, name: 'Design Plans' }).waitFor();
    expect(page.url()).toMatch(/#\/plan$/);
    await page.evaluate('history.forward()');
    await page.waitForURL(/#\/plan\/1$/);
    expect(clinic.complaints).toEqual([]);
  });

  it('drags Books and weeks, and needs at most four calls to open', async () => {
    const calls = await clinic.recordCalls();
    await clinic.goTo('/plan/1');
    await clinic.page.getByText('1 open series uses this plan').waitFor();
    await clinic.settle();
    expect(calls.length).toBeLessThanOrEqual(4);
    const before = await booksOf(1);
    const week = (number: number) =>
      clinic.page.locator('.plan-editor-week', { has: clinic.page.getByText(`Week ${number}`, { exact: true }) });
    await clinic.page.locator('.plan-editor-palette-book', { hasText: 'Worry time' }).dragTo(week(2));
    await week(1).locator('.plan-editor-book', { hasText: 'Breathing' }).dragTo(week(3));
    await week(4).locator('.plan-editor-week-title').dragTo(week(1).locator('.plan-editor-week-title'));
    expect(await clinic.listAxeViolations()).toEqual([]);
    await button('Save as revision 2').click();
    await clinic.page.getByText('Saved as revision 2.').waitFor();
    const after = await booksOf(1);
    // Week 3 already contains breathing exercises, so they are only removed from week 1.
    expect(after).toEqual([before[3], [before[0]![0]], [...before[1]!, 5], before[2], ...before.slice(4)]);
    expect(clinic.complaints).toEqual([]);
  });

  it('keeps the focus and the open dialog when the plan is saved', async () => {
    const { page } = clinic;
    await clinic.goTo(`/plan/${await createPlan('Saved often', [[1], [2]])}`);
    const name = page.getByLabel('Name of week 1');
    await name.focus();
    await page.keyboard.type('St');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as revision 2.').waitFor();
    await page.getByText('All saved').waitFor();
    await page.keyboard.type('art');
    expect(await name.inputValue()).toBe('Start');
    await page.locator('.plan-editor-book-open').first().press('Enter');
    await button('Add time').press('Enter');
    await button('Day 3, 18:00').press('Enter');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as revision 3.').waitFor();
    await page.locator('.plan-editor-cell:focus[aria-pressed=true]').waitFor();
    await clinic.settle();
    await button('Day 4, 18:00').press('Enter');
    await button('Done').press('Enter');
    await page.locator('.plan-editor-book-open:focus').waitFor();
    await button('Save as revision 4').click();
    await page.getByText('Saved as revision 4.').waitFor();
    expect(clinic.complaints).toEqual([]);
  });

  it('undoes the last change with Ctrl+Z also while a check box has the focus', async () => {
    await clinic.goTo(`/plan/${await createPlan('Undone', [])}`);
    const box = clinic.page.getByRole('checkbox', { name: 'This is a template' });
    await box.press('Space');
    await clinic.page.getByText('Changes not saved').waitFor();
    await box.press('Control+z');
    await clinic.page.getByText('Changes not saved').waitFor({ state: 'detached' });
    expect(await box.isChecked()).toBe(false);
    expect(clinic.complaints).toEqual([]);
  });

  it('merges a Book with the same Book of another week, tells it, and opens no dialog later', async () => {
    const { page } = clinic;
    await clinic.goTo(`/plan/${await createPlan('Twice', [[1], [2, 1]])}`);
    const weeks = page.locator('.plan-editor-week');
    const first = weeks.first().locator('.plan-editor-book-open');
    const dialog = page.getByRole('dialog');
    const told = page.getByText(/was already in week 2\. It has the reminders of both/);
    await first.press('Alt+ArrowRight');
    await told.waitFor();
    await weeks.nth(1).locator('.plan-editor-book-open').nth(1).and(page.locator(':focus')).waitFor();
    await button('Undo').press('Enter');
    await first.press('Enter');
    await dialog.getByLabel('Week', { exact: true }).selectOption({ index: 1 });
    await dialog.waitFor({ state: 'detached' });
    await told.waitFor();
    await weeks.nth(1).locator('.plan-editor-book-open').nth(1).and(page.locator(':focus')).waitFor();
    await button('Undo').press('Enter');
    await first.waitFor();
    await clinic.settle();
    expect(await dialog.count()).toBe(0);
    expect(clinic.complaints).toEqual([]);
  });

  it('keeps Alt and an arrow key from leaving the page, and tells the number of the week', async () => {
    const { page } = clinic;
    await clinic.goTo(`/plan/${await createPlan('Arrows', [[], [1]])}`);
    const book = page.locator('.plan-editor-book-open');
    await book.focus();
    const isPrevented = (key: string) =>
      book.evaluate((element, pressed) => {
        const { KeyboardEvent } = element.ownerDocument.defaultView!;
        const init = { key: pressed, altKey: true, bubbles: true, cancelable: true };
        return !element.dispatchEvent(new KeyboardEvent('keydown', init));
      }, key);
    // In the last week, the browser would go forward in its history; in the first one, it would go back.
    expect(await isPrevented('ArrowRight')).toBe(true);
    await book.press('Alt+ArrowLeft');
    await page.getByText('is now in week 1, at position 1.').waitFor();
    expect(await isPrevented('ArrowLeft')).toBe(true);
    await button('Undo').press('Enter');
    await button('Remove week 1').press('Enter');
    await page.locator('.plan-editor-week-name:focus').waitFor();
    await button('Add Book to week 2').press('Enter');
    await page.getByRole('dialog').locator('[aria-pressed=true]').press('Enter');
    await page.getByText('was removed from week 2.').waitFor();
    await page.keyboard.press('Escape');
    await button('Undo').press('Enter');
    await page.getByText('Changes not saved').waitFor();
  });

  it('marks the place at which a dragged Book will be, and not the one before', async () => {
    const { page } = clinic;
    await clinic.goTo(`/plan/${await createPlan('Dragged', [[1, 2, 3]])}`);
    const books = page.locator('.plan-editor-week .plan-editor-book');
    await books.nth(2).waitFor();
    // Otherwise, a notice that appears later would move the Books.
    await clinic.settle();
    const titles = await page.locator('.plan-editor-week .plan-editor-book-title').allInnerTexts();
    const [first, second] = [(await books.nth(0).boundingBox())!, (await books.nth(1).boundingBox())!];
    await page.mouse.move(first.x + 20, first.y + first.height / 2);
    await page.mouse.down();
    await page.mouse.move(second.x + 20, second.y + second.height * 0.75, { steps: 5 });
    // A move to another element sends only `dragenter` and `dragleave`. The next one sends `dragover`.
    await page.mouse.move(second.x + 24, second.y + second.height * 0.75, { steps: 2 });
    const mark = page.locator('.plan-editor-book-before .plan-editor-book-title');
    await mark.waitFor();
    expect(await mark.innerText()).toBe(titles[2]);
    await page.mouse.up();
    await page.getByText('Week 1 has changed.').waitFor();
    const after = await page.locator('.plan-editor-week .plan-editor-book-title').allInnerTexts();
    expect(after).toEqual([titles[1], titles[0], titles[2]]);
  });

  it('shows both versions when another person has saved, and an error of the service at its Book', async () => {
    await clinic.goTo('/plan/2');
    await clinic.page.getByLabel('Name', { exact: true }).fill('Mine');
    const { weeks, ...plan } = await planOf(2);
    const theirs = { ...plan, planName: 'Theirs', weeks: weeks.slice(0, 1), template: true };
    const { planName, template, caregiverId } = theirs;
    const body = { planName, template, caregiverId, weeks: theirs.weeks };
    await replacePlan(2, plan.version, body);
    await button('Save as revision 3').click();
    const dialog = clinic.page.getByRole('dialog', { name: 'Changed in the meantime' });
    await dialog.getByText('Theirs', { exact: true }).waitFor();
    await dialog.getByText('the other one stays as revision 3').waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save mine' }).click();
    await clinic.page.getByText('Saved as revision 4.').waitFor();
    expect(await planOf(2)).toMatchObject({ planName: 'Mine', revision: 4, template: true });
    await clinic.page.route(`**${PATH}/2`, (route) =>
      route.request().method() === 'GET'
        ? route.continue()
        : route.fulfill({
            status: 422,
            contentType: 'application/problem+json',
            json: {
              ...{ type: 'urn:problem:unprocessable', title: 'No', status: 422, detail: 'No', instance: '' },
              errors: [{ pointer: '/weeks/1/assignments/0/bookId', detail: 'must be a Book that the Clinic may use' }],
            },
          }),
    );
    await button('Remove week 1').click();
    await button('Undo').click();
    await clinic.page.getByLabel('Name', { exact: true }).fill('Mine again');
    await button('Save as revision 5').click();
    await clinic.page.locator('.plan-editor-week').nth(1).getByText('must be a Book that the Clinic may use').waitFor();
    expect(clinic.complaints.filter((one) => !one.includes('412') && !one.includes('422'))).toEqual([]);
  });

  it('compares revisions, saves an old one again, prints, archives and restores', async () => {
    await clinic.goTo('/plan/2/revision');
    await clinic.page.getByText('What changed from revision 3 to 4').waitFor();
    await clinic.page.getByLabel('From').selectOption('1');
    await clinic.page.getByText('What changed from revision 1 to 4').waitFor();
    await clinic.page.locator('.plan-editor-diff-week', { hasText: 'Week 3' }).getByText('Removed').first().waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await button('Save again: revision 1').click();
    await clinic.page.getByRole('dialog').getByRole('button', { name: 'Save again' }).click();
    await clinic.page.getByText('Saved as revision 5.').waitFor();
    expect(await planOf(2)).toMatchObject({ planName: 'Three weeks of activity', revision: 5, template: true });
    await clinic.goTo('/plan/2/print');
    await clinic.page.getByText('Weeks 1 to 3').waitFor();
    await clinic.page.getByRole('heading', { name: 'Week 1', exact: true }).waitFor();
    await clinic.goTo('/plan/2');
    await button('Archive').click();
    await clinic.page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await clinic.page.getByText('This plan is in the archive').waitFor();
    expect(await clinic.listAxeViolations()).toEqual([]);
    await button('Restore').click();
    await button('Save as revision 6').waitFor();
    expect(await planOf(2)).toMatchObject({ archived: false });
    expect(clinic.complaints).toEqual([]);
  });

  it('compares the revisions of a link also if they are not among the newest', async () => {
    const id = Number(await createPlan('Linked revisions', []));
    for (let version = 1; version <= 22; version += 1)
      await replacePlan(id, version, { planName: `Linked revisions ${version}`, weeks: [] });
    await clinic.goTo(`/plan/${id}/revision?from=2&to=3`);
    await clinic.page.getByText('What changed from revision 2 to 3').waitFor();
    expect(await clinic.page.getByText('What changed from revision 22 to 23').count()).toBe(0);
    expect(clinic.complaints).toEqual([]);
  });

  it('shows more revisions than one page of the service has', async () => {
    const id = Number(await createPlan('Many revisions', []));
    for (let version = 1; version <= 201; version += 1)
      await replacePlan(id, version, { planName: `Many revisions ${version}`, weeks: [] });
    await clinic.goTo(`/plan/${id}/revision`);
    await button('Show more').click();
    await clinic.page.getByRole('heading', { name: 'Revision 1', exact: true }).waitFor();
    expect(await clinic.page.locator('.plan-editor-revision').count()).toBe(202);
  });

  it('saves a revision again once if the button is double-clicked', async () => {
    const { page } = clinic;
    const id = Number(await createPlan('Saved again once', []));
    await replacePlan(id, 1, { planName: 'Saved again twice', weeks: [] });
    await clinic.goTo(`/plan/${id}/revision`);
    await button('Save again: revision 1').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save again' }).dblclick();
    await page.getByText('Saved as revision 3.').first().waitFor();
    await clinic.settle();
    expect(await page.locator('.toast').allInnerTexts()).toEqual(['Saved as revision 3.']);
    expect((await planOf(id)).revision).toBe(3);
    expect(clinic.complaints).toEqual([]);
  });

  it('prints all weeks of the editor', async () => {
    const { page } = clinic;
    await clinic.goTo('/plan/1');
    const weeks = page.locator('.plan-editor-week');
    await weeks.nth(7).waitFor();
    await page.setViewportSize({ width: 718, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    // The position from which an element is not printed, because paper cannot be scrolled.
    const end = await page.locator('.plan-editor-scroller').evaluate((one) => one.getBoundingClientRect().right);
    const ends = await weeks.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    expect(ends.filter((right) => right > end)).toEqual([]);
  });

  it('prints four weeks of seven Books with two times a day on one page', async () => {
    const { page } = clinic;
    const { version, planName, weeks } = await planOf(1);
    const assignReminds = [1, 2, 3, 4, 5, 6, 7].flatMap((reminderDay) =>
      ['08:00', '20:00'].map((time) => ({ reminderDay, time })),
    );
    const bookIds = [1, 2, 3, 4, 5, 6, 1];
    const assignments = bookIds.map((bookId) => ({ bookId, assignReminds }));
    const fullWeeks = weeks.map(({ name, ordering }: { name: string; ordering: number }) => ({
      name: ordering === 1 ? 'Settling in' : name,
      ordering,
      assignments,
    }));
    await replacePlan(1, version, { planName, appointmentTitle: 'Sleep session', weeks: fullWeeks });
    await clinic.goTo('/plan/1/print');
    await page.locator('.plan-editor-sheet-week').nth(7).waitFor();
    const headings = await page.getByRole('heading', { level: 3 }).allTextContents();
    expect(headings.slice(0, 2)).toEqual(['Week 1 · Settling in', 'Week 2']);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(2);
    // The width of A4 landscape without margins.
    await page.setViewportSize({ width: 1047, height: 700 });
    await page.emulateMedia({ media: 'print' });
    const tooWide = await page
      .locator('.plan-editor-sheet-week')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
    expect(tooWide).toBe(0);
    await page.emulateMedia({ media: null });
    expect(await page.getByRole('img', { name: 'Day 7, 20:00' }).count()).toBe(8 * bookIds.length);
    expect(await clinic.listAxeViolations()).toEqual([]);
    expect(clinic.complaints).toEqual([]);
  });

  it('prints the lines of a description as they were written', async () => {
    const { version, planName, weeks } = await planOf(1);
    const appointmentDesc = 'Sleep diary\nWhat helped';
    await replacePlan(1, version, { planName, appointmentTitle: 'Sleep session', appointmentDesc, weeks });
    await clinic.goTo('/plan/1/print');
    // The text of an element, other than that of its node, is as the page shows it.
    expect(await clinic.page.getByText('Sleep diary What helped').innerText()).toBe(appointmentDesc);
  });

  it('shows an error instead of sheets without the titles of Books, and prints after another attempt', async () => {
    let isBroken = true;
    await clinic.page.route('**/gateway/profile/clinic/book?*', (route) =>
      isBroken ? route.fulfill({ status: 422, contentType: 'application/problem+json', body: '{}' }) : route.continue(),
    );
    await clinic.goTo('/plan/1/print');
    const retry = button('Try again');
    await retry.waitFor();
    expect(await clinic.page.locator('.plan-editor-sheet').count()).toBe(0);
    isBroken = false;
    await retry.press('Enter');
    await clinic.page.locator('.plan-editor-sheet').first().waitFor();
    expect(await clinic.page.getByText(/^Book \d+$/).count()).toBe(0);
  });

  it('exports a plan as a file that can be imported', async () => {
    await clinic.goTo('/plan/1');
    const [file] = await Promise.all([clinic.page.waitForEvent('download'), button('Export').click()]);
    await clinic.goTo('/plan');
    await button('Import').click();
    await clinic.page.getByLabel('File').setInputFiles(await file.path());
    await clinic.page.getByText('8 weeks').waitFor();
    await clinic.page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await clinic.page.getByRole('heading', { level: 1, name: 'Eight weeks of better sleep' }).waitFor();
    expect(await booksOf(await newId())).toEqual(await booksOf(1));
    expect(clinic.complaints).toEqual([]);
  });

  it('marks as English why the service refuses a file, or a plan without naming a field', async () => {
    const { page } = clinic;
    const document = JSON.parse(await exported(await createPlan('Refused', [])));
    document.plan.weeks = [{ name: 'Week 1', ordering: 1, assignments: [{ bookId: 999, assignReminds: [] }] }];
    await clinic.goTo('/plan');
    await button('Import').click();
    const buffer = Buffer.from(JSON.stringify(document));
    await page.getByLabel('File').setInputFiles({ name: 'plan.json', mimeType: 'application/json', buffer });
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.locator('.plan-editor-errors [lang=en]').waitFor();
    await page.keyboard.press('Escape');
    const errors = [{ pointer: '/else', detail: 'is not possible now' }];
    const json = { type: 'urn:problem:unprocessable', title: 'No', status: 422, detail: 'No.', instance: '', errors };
    await page.route(`**${PATH}{,?*}`, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 422, contentType: 'application/problem+json', json })
        : route.continue(),
    );
    await clinic.goTo('/plan/new');
    await page.getByLabel('Name', { exact: true }).fill('Refused');
    await button('Create plan').click();
    await page.getByRole('alert').locator('[lang=en]', { hasText: 'is not possible now' }).waitFor();
  });
});
