import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/* Runs sqlmap on one place in a request. */

/** Marks the place in which sqlmap injects SQL. */
export const INJECTION_MARK = '*';
export type SqlmapTarget = { method: string; url: string; headers: Readonly<Record<string, string>>; body?: string };
type SqlmapResult = { isInjectable: boolean; text: string };

const run = promisify(execFile);
/* Time-based findings must delay the response by two seconds, so that slow responses are not taken for findings. */
const OPTIONS = ['--batch', '--level=3', '--risk=1', '--dbms=PostgreSQL', '--time-sec=2', '--ignore-code=401'];

/** @throws Error if sqlmap is missing; its message tells how to install it */
export async function requireSqlmap(): Promise<void> {
  await run('sqlmap', ['--version']).catch(() => {
    throw new Error('sqlmap is not installed. Debian: apt-get install sqlmap; elsewhere: https://sqlmap.org');
  });
}

/**
 * Runs sqlmap at level 3 with all techniques on the place that is marked with INJECTION_MARK.
 *
 * @throws Error with the output of sqlmap if it has no result
 */
export async function runSqlmap({ method, url, headers, body }: SqlmapTarget): Promise<SqlmapResult> {
  // Each run has a new home directory, because sqlmap would reuse the results of earlier runs.
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
        // Without a mark in the body, sqlmap must not test the body, because each of its fields is tested in a separate
        // run.
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
