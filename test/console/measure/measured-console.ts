import type { Browser } from 'playwright-core';
import { DemonstrationApp } from '../../support/app/demonstration-app.js';
import { testEnvironment } from '../../support/app/test-environment.js';
import { launchBrowser } from '../../support/browser/chromium.js';
import { ConsolePage } from '../../support/browser/console-page.js';

/* Starts a separate service with a week of 300 Sessions, and a Chromium. */

const SESSIONS = 300;
const DAYS = 7;
/** Monday of the measured week, which contains no Sessions of the demonstration. */
export const MEASURED_MONDAY = '2027-02-01';
const FIRST_MINUTE = 8 * 60;
const SESSION_MINUTES = 45;
const MINUTES_BETWEEN = 15;
/** Both Care Providers of the Clinic, and a Client of each. */
const PEOPLE = [
  { caregiverId: 1, clientId: 1 },
  { caregiverId: 2, clientId: 3 },
];

export type MeasuredConsole = { app: DemonstrationApp; browser: Browser };

/**
 * Starts the service and the browser, runs `work`, and stops both.
 *
 * @param browserArguments further arguments for Chromium
 */
export async function measureConsole(
  work: (measured: MeasuredConsole) => Promise<void>,
  browserArguments: readonly string[] = [],
): Promise<void> {
  const token = { ...testEnvironment.token, key: { kind: 'generated', dataDir: 'memory:' } as const };
  const database = { kind: 'embedded', dataDir: 'memory:' } as const;
  const app = await DemonstrationApp.start(database, undefined, { token });
  try {
    await bookWeek(app);
    const browser = await launchBrowser(browserArguments);
    try {
      await work({ app, browser });
    } finally {
      await browser.close();
    }
  } finally {
    await app.stop();
  }
}

/** Creates consecutive series for both Care Providers in turn. Each series has one Session on each day of the week. */
async function bookWeek(app: DemonstrationApp): Promise<void> {
  for (let left = SESSIONS, series = 0; left > 0; left -= DAYS, series += 1) {
    const minute = FIRST_MINUTE + series * MINUTES_BETWEEN;
    const time = [Math.trunc(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');
    const { status, body } = await app.call('POST', '/gateway/profile/clinic/session', 'CLINIC', {
      ...PEOPLE[series % PEOPLE.length],
      title: `Series ${series + 1}`,
      ...{ date: MEASURED_MONDAY.replaceAll('-', '/'), time, durationMinutes: SESSION_MINUTES },
      ...{ sessionCount: Math.min(DAYS, left), intervalDays: 1 },
    });
    if (status !== 201) throw new Error(`A series was not created: ${JSON.stringify(body)}`);
  }
}

/** Opens the measured week as the Clinic. */
export async function openWeek({ app, browser }: MeasuredConsole): Promise<ConsolePage> {
  const visitor = await ConsolePage.open(browser, app, { viewport: { width: 1440, height: 900 } });
  await visitor.signInAs('Clinic 1');
  await visitor.goTo(`/week?from=${MEASURED_MONDAY}`);
  await visitor.page
    .locator('.week-event')
    .nth(SESSIONS - 1)
    .waitFor();
  return visitor;
}
