import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/* sqlmap, asked about one place in one request. */

/** Where sqlmap puts its own text. */
export const INJECTION_MARK = '*';
export type SqlmapTarget = { method: string; url: string; headers: Readonly<Record<string, string>>; body?: string };
export type SqlmapResult = { isInjectable: boolean; text: string };

const run = promisify(execFile);
/* What waits is no finding here but the database that waits: two seconds tell the two apart. */
const OPTIONS = ['--batch', '--level=3', '--risk=1', '--dbms=PostgreSQL', '--time-sec=2', '--ignore-code=401'];

/** @throws Error that says how to get it */
export async function requireSqlmap(): Promise<void> {
  await run('sqlmap', ['--version']).catch(() => {
    throw new Error('sqlmap is not installed. Debian: apt-get install sqlmap; elsewhere: https://sqlmap.org');
  });
}

/**
 * Runs sqlmap at level 3 with all its techniques against the place in the request that is marked with HERE.
 *
 * @throws Error with its output, where it has come to no end
 */
export async function runSqlmap({ method, url, headers, body }: SqlmapTarget): Promise<SqlmapResult> {
  // Its own home: it keeps a history and sessions, and none may answer for a new run.
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
        // A body without a mark is not to be looked at: each of its fields has a turn of its own.
        ...(body?.includes(INJECTION_MARK) ? [] : ['--answers=JSON data found=N']),
      ],
      { env: { PATH: process.env['PATH'], HOME }, maxBuffer: 2 ** 28 },
    );
    if (/identified the following injection point|is vulnerable/.test(text)) return { isInjectable: true, text };
    if (/all tested parameters do not appear to be injectable/.test(text)) return { isInjectable: false, text };
    throw new Error(`sqlmap has not ended as it should:\n${text}`);
  } finally {
    rmSync(HOME, { recursive: true, force: true });
  }
}
