import type { CDPSession, Page } from 'playwright-core';
import { measureConsole, openWeek } from './measured-console.js';

/*
 * npm run console:trace: scrolls a week with 300 Sessions and drags Sessions in Chromium with tracing enabled. Prints
 * the frames of each step, and fails if a frame takes longer than 50 ms.
 */

const LIMIT_MS = 50;
const STEPS = 60;
const FRAME_MS = 16;
const SHOWN_TASKS = 5;
const RIGHT_PER_STEP = 8;
const DOWN_PER_STEP = 2;

type TraceEvent = { ph: string; name: string; tid: number; dur?: number; tdur?: number; args?: { name?: string } };
type Step = { name: string; frames: number[]; tasks: string[] };
type Point = { x: number; y: number };

const START_COUNTING = `
  globalThis.frames = [];
  globalThis.isCounting = true;
  let last;
  const count = (now) => {
    if (last !== undefined) frames.push(now - last);
    last = now;
    if (isCounting) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);`;

await measureConsole(async (measured) => {
  const { page, context } = await openWeek(measured);
  const debug = await context.newCDPSession(page);
  // Waits, because frames that belong to loading must not be counted for a step.
  await page.waitForTimeout(2_000);
  const run = async (name: string, action: () => Promise<void>) => {
    const step = await trace(name, page, debug, action);
    process.stdout.write(describeStep(step));
    return step;
  };
  const steps = [
    await run('idle', () => page.waitForTimeout(1_000)),
    await run('scroll', () => scroll(page)),
    await run('drag over days and hours', () => drag(page)),
    await run('drag the end', () => dragEnd(page)),
  ];
  const slow = steps.flatMap(({ frames }) => frames).filter((milliseconds) => milliseconds > LIMIT_MS);
  process.stdout.write(`Frames over ${LIMIT_MS} ms: ${slow.length}\n`);
  if (slow.length > 0) process.exitCode = 1;
});

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 600);
  for (let step = 0; step < STEPS; step += 1) {
    await page.mouse.wheel(0, step < STEPS / 2 ? 40 : -40);
    await page.waitForTimeout(FRAME_MS);
  }
}

async function drag(page: Page): Promise<void> {
  const { x, y } = await findSession(page);
  await dragFrom(page, { x: x + 12, y: y + 8 }, (step) => [step * RIGHT_PER_STEP, Math.sin(step / 8) * 90]);
}

async function dragEnd(page: Page): Promise<void> {
  const { x, y, height } = await findSession(page);
  await dragFrom(page, { x: x + 12, y: y + height - 3 }, (step) => [0, step * DOWN_PER_STEP]);
}

async function findSession(page: Page): Promise<Point & { height: number }> {
  const box = await page.locator('.week-event', { hasText: 'Series 12' }).nth(1).boundingBox();
  if (box === null) throw new Error('The Session is not on the screen.');
  return box;
}

/** Drags a Session. Presses Escape at the end, so that the Session is not moved. */
async function dragFrom(page: Page, from: Point, way: (step: number) => [number, number]) {
  const { mouse, keyboard } = page;
  await mouse.move(from.x, from.y);
  await mouse.down();
  for (let step = 1; step <= STEPS; step += 1) {
    const [right, down] = way(step);
    await mouse.move(from.x + right, from.y + down);
    await page.waitForTimeout(FRAME_MS);
  }
  await keyboard.press('Escape');
  await mouse.up();
}

/** Measures the time between frames in the page, and records the tasks of its main thread. */
async function trace(name: string, page: Page, debug: CDPSession, action: () => Promise<void>): Promise<Step> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => events.push(...(value as TraceEvent[]));
  debug.on('Tracing.dataCollected', collect);
  await debug.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'devtools.timeline'] },
  });
  await page.evaluate(START_COUNTING);
  await action();
  const frames = await page.evaluate<number[]>('isCounting = false; frames');
  const complete = new Promise((resolve) => debug.once('Tracing.tracingComplete', resolve));
  await debug.send('Tracing.end');
  await complete;
  debug.off('Tracing.dataCollected', collect);
  return { name, frames, tasks: listLongestTasks(events) };
}

function listLongestTasks(events: readonly TraceEvent[]): string[] {
  const main = events.find(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  return events
    .filter(({ ph, name, tid }) => ph === 'X' && name.includes('RunTask') && (main === undefined || tid === main.tid))
    .sort((a, b) => (b.dur ?? 0) - (a.dur ?? 0))
    .slice(0, SHOWN_TASKS)
    .map(({ dur = 0, tdur = 0 }) => `${(dur / 1_000).toFixed(0)}/${(tdur / 1_000).toFixed(0)}`);
}

function describeStep({ name, frames, tasks }: Step): string {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
  const slow = frames.filter((milliseconds) => milliseconds > LIMIT_MS).length;
  return (
    `${name}: ${frames.length} frames, median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms, ` +
    `over ${LIMIT_MS} ms: ${slow}; longest tasks in ms, elapsed/CPU: ${tasks.join(' ')}\n`
  );
}
