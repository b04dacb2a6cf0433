import type { Browser } from 'playwright-core';
import { renderMessageText } from '../../src/reminder/text/message-text.js';
import { describeInBrowser, launchBrowser } from '../support/browser/launch-browser.js';

/* Tests the HTML part of reminder e-mails in a browser. */

describeInBrowser('the HTML part of a reminder e-mail', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('fits a phone, also with a title and a link without spaces', async () => {
    const startsAt = Temporal.Instant.from('2027-03-01T09:30:00Z');
    const items = [
      { kind: 'SESSION', sessionId: 1, startsAt, isOver: false, isMoved: false, sessionTitle: 'x'.repeat(200) },
    ] as const;
    const timeZone = 'America/Argentina/ComodRivadavia';
    const { html } = renderMessageText(items, { locale: 'de', timeZone, late: true });
    const page = await browser.newPage({ viewport: { width: 320, height: 600 } });
    await page.setContent(html(`https://${'clinic'.repeat(9)}.example.org/reminder/opt-out/session/${'y'.repeat(32)}`));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });
});
