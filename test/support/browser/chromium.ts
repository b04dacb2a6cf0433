import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

type Manifest = { devDependencies: Record<string, string | undefined> };

/**
 * Starts a headless Chromium, which the caller must close. It is part of `npm ci`, so nothing else needs to be
 * installed.
 *
 * @param more further arguments, such as the debugging port
 */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const directory = await unpackOnce();
  return chromium.launch({
    executablePath: join(directory, 'chromium'),
    // The arguments of the package itself are not used, because they disable web security, which would hide mistakes in
    // CORS and the CSP. The sandbox is disabled, because containers lack the privileges for it and the browser opens
    // only pages of the tests.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none', ...more],
    env: {
      ...process.env,
      HOME: directory,
      LD_LIBRARY_PATH: join(directory, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(directory, 'fonts'),
    },
  });
}

/**
 * Unpacks Chromium and its libraries into a directory for temporary files, where later runs find them. The package
 * unpacks file by file, so another process could start an incomplete Chromium. The files are therefore unpacked into a
 * new directory, which is renamed once it is complete.
 */
async function unpackOnce(): Promise<string> {
  const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as Manifest;
  const version = devDependencies['@sparticuz/chromium'];
  // The directory name contains the user ID: another user may be unable to read the directory, and should not be
  // trusted with programs to run.
  const complete = join(tmpdir(), `care-scheduling-chromium-${version}-${userInfo().uid}`);
  if (existsSync(complete)) return complete;
  const unpacked = await mkdtemp(`${complete}-`);
  try {
    // Unpacks in a separate process, because the package reads TMPDIR from the environment, which Jest does not let
    // tests change.
    await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', `await (await import('@sparticuz/chromium')).default.executablePath()`],
      { env: { ...process.env, TMPDIR: unpacked, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' } },
    );
    await writeFile(join(unpacked, 'fonts', 'fonts.conf'), toFontConfiguration(complete));
    await rename(unpacked, complete);
  } catch (error) {
    await rm(unpacked, { recursive: true, force: true });
    // If another process has unpacked Chromium first, the rename fails, and the copy of that process is used.
    if (!existsSync(complete)) throw error;
  }
  return complete;
}

/**
 * Creates the font configuration. The package's own one refers to a directory into which its fonts are not unpacked.
 */
function toFontConfiguration(directory: string): string {
  const folders = `<dir>${join(directory, 'fonts')}</dir><cachedir>${join(directory, 'fonts-cache')}</cachedir>`;
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}</fontconfig>\n`;
}
