import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { findFreePort } from '../../support/process/service-process.js';
import { measureConsole, MEASURED_MONDAY } from './measured-console.js';

/*
 * npm run console:lighthouse: opens the console, signs in as the Clinic and opens a week of 300 Sessions, all of it
 * measured by Lighthouse as one navigation, because the sign-in ends when a page is loaded again. Prints the scores for
 * a desktop and for a phone with the elements that moved, and fails if a score is below 95 or if more than a little
 * moved. npm fetches Lighthouse when the command runs (package.json): as a development dependency it would make
 * node_modules larger by a quarter.
 */

const LEAST = 95;
/** The limit of the Cumulative Layout Shift, half of what Lighthouse calls good. */
const MOST_SHIFT = 0.05;
const CATEGORIES = ['performance', 'accessibility', 'best-practices'];

type Shift = { node: { selector: string }; score: number };
type Audit = {
  title: string;
  score: number | null;
  displayValue?: string;
  numericValue?: number;
  details?: { items?: Shift[] };
};
type Report = {
  categories: Record<string, { title: string; score: number; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, Audit>;
};
type Page = { goto(url: string): Promise<unknown>; evaluate(script: string): Promise<unknown> };
type Lighthouse = {
  default: (go: () => Promise<void>, flags: object, config: object | undefined, page: Page) => Promise<{ lhr: Report }>;
  desktopConfig: object;
};
type Puppeteer = {
  default: { connect(options: object): Promise<{ newPage(): Promise<Page>; disconnect(): Promise<void> }> };
};

const port = await findFreePort();
const { lighthouse, puppeteer } = await load();
await measureConsole(
  async ({ app }) => {
    for (const [name, config] of [
      ['desktop', lighthouse.desktopConfig],
      ['phone', undefined],
    ] as const) {
      const browser = await puppeteer.default.connect({
        browserURL: `http://127.0.0.1:${port}`,
        defaultViewport: null,
      });
      const page = await browser.newPage();
      const flags = { onlyCategories: CATEGORIES, logLevel: 'error' };
      const { lhr } = await lighthouse.default(() => openWeek(page, app.url), flags, config, page);
      report(name, lhr);
      await browser.disconnect();
    }
  },
  [`--remote-debugging-port=${port}`],
);

/** Clicks with scripts, because Lighthouse treats a real click as the end of loading. */
async function openWeek(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/#/week?from=${MEASURED_MONDAY}`);
  await page.evaluate(`new Promise((resolve) => {
    const sign = () => {
      const person = [...document.querySelectorAll('.person')].find(({ textContent }) => textContent.startsWith('Clinic 1'));
      if (person === undefined) return requestAnimationFrame(sign);
      person.click();
      resolve();
    };
    sign();
  })`);
  await page.evaluate(`new Promise((resolve) => {
    const look = () => document.querySelector('.week-event, .week-row') ? resolve() : requestAnimationFrame(look);
    look();
  })`);
}

function report(name: string, { categories, audits }: Report): void {
  for (const { title, score, auditRefs } of Object.values(categories)) {
    const points = Math.round(score * 100);
    process.stdout.write(`${name}, ${title}: ${points}\n`);
    if (points < LEAST) process.exitCode = 1;
    const lost = auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1);
    for (const { id } of lost) {
      const { title: text, displayValue = '' } = audits[id]!;
      process.stdout.write(`  ${id}: ${text} ${displayValue}\n`);
    }
  }
  reportShifts(name, audits);
}

function reportShifts(name: string, audits: Report['audits']): void {
  const total = audits['cumulative-layout-shift']!.numericValue!;
  process.stdout.write(`${name}, Cumulative Layout Shift: ${total.toFixed(3)}\n`);
  if (total >= MOST_SHIFT) process.exitCode = 1;
  for (const { node, score } of audits['layout-shifts']?.details?.items ?? [])
    process.stdout.write(`  ${score.toFixed(3)}: ${node.selector}\n`);
}

/** Loads Lighthouse, which `npm exec` has added to PATH, and the browser driver that Lighthouse itself uses. */
async function load(): Promise<{ lighthouse: Lighthouse; puppeteer: Puppeteer }> {
  const [folder] = process.env['PATH']!.split(delimiter).filter((one) => one.includes('_npx'));
  if (folder === undefined) throw new Error('npm run console:lighthouse starts this script.');
  const require = createRequire(join(dirname(realpathSync(join(folder, 'lighthouse'))), 'index.js'));
  const [lighthouse, puppeteer] = [require.resolve('lighthouse'), require.resolve('puppeteer-core')];
  return { lighthouse: (await import(lighthouse)) as Lighthouse, puppeteer: (await import(puppeteer)) as Puppeteer };
}
