import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

type Manifest = { devDependencies: Record<string, string | undefined> };

/**
 * Starts a headless Chromium. The caller closes it. Nothing has to be installed beside `npm ci`.
 *
 * @param more further arguments, such as the port of the debugger
 */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const directory = await unpackOnce();
  return chromium.launch({
    executablePath: join(directory, 'chromium'),
    // The package's own arguments switch web security off, which would hide mistakes of CORS and of the CSP. The
    // browser opens pages of the tests alone, so it needs no sandbox, and a container has no privileges for one.
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
 * Unpacks Chromium and its libraries below the directory for temporary files, where later runs find them. The package
 * unpacks in place, so that another process could start a file that is not complete. Therefore it unpacks into a new
 * directory, which is renamed when it is complete.
 */
async function unpackOnce(): Promise<string> {
  const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as Manifest;
  const version = devDependencies['@sparticuz/chromium'];
  // Of this user alone: another user may not read the directory, and should not be trusted with what is started.
  const complete = join(tmpdir(), `care-scheduling-chromium-${version}-${userInfo().uid}`);
  if (existsSync(complete)) return complete;
  const unpacked = await mkdtemp(`${complete}-`);
  try {
    // A process of its own, because the package reads TMPDIR from the environment that Jest does not let tests change.
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

/** The package's own file names directories that are not the one into which its fonts are unpacked. */
function toFontConfiguration(directory: string): string {
  const folders = `<dir>${join(directory, 'fonts')}</dir><cachedir>${join(directory, 'fonts-cache')}</cachedir>`;
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}</fontconfig>\n`;
}
