import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/* Runs sqlmap against one place in one request. */

/** Marks the place in which sqlmap injects. */
export const INJECTION_MARK = '*';
export type SqlmapTarget = { method: string; url: string; headers: Readonly<Record<string, string>>; body?: string };
export type SqlmapResult = { isInjectable: boolean; text: string };

const run = promisify(execFile);
/* Time-based findings need a delay of two seconds, so that slow responses are no findings. */
const OPTIONS = ['--batch', '--level=3', '--risk=1', '--dbms=PostgreSQL', '--time-sec=2', '--ignore-code=401'];

/** @throws Error with the way to install it, if sqlmap is missing */
export async function requireSqlmap(): Promise<void> {
  await run('sqlmap', ['--version']).catch(() => {
    throw new Error('sqlmap is not installed. Debian: apt-get install sqlmap; elsewhere: https://sqlmap.org');
  });
}

/**
 * Runs sqlmap at level 3 with all techniques against the place that is marked with INJECTION_MARK.
 *
 * @throws Error with the output of sqlmap, if it has no result
 */
export async function runSqlmap({ method, url, headers, body }: SqlmapTarget): Promise<SqlmapResult> {
  // A new home directory, because sqlmap would reuse the results of earlier sessions.
  const HOME = mkdtempSync(join(tmpdir(), 'sqlmap-'));
  try {
    const { stdout: text } = await run(
      'sqlmap',
      [
        ...OPTIONS,
        `--url=${url}`,
        `--method=${method}`,
        ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
        ...(body === undefined ? [] : [`--data=${body}`]),
        // Without a mark in the body, sqlmap is told not to test it. Each field of the body is tested in its own run.
        ...(body?.includes(INJECTION_MARK) ? [] : ['--answers=JSON data found=N']),
      ],
      { env: { PATH: process.env['PATH'], HOME }, maxBuffer: 2 ** 28 },
    );
    if (/identified the following injection point|is vulnerable/.test(text)) return { isInjectable: true, text };
    if (/all tested parameters do not appear to be injectable/.test(text)) return { isInjectable: false, text };
    throw new Error(`sqlmap has no result:\n${text}`);
  } finally {
    rmSync(HOME, { recursive: true, force: true });
  }
}
