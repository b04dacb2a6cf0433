import { describe } from '@jest/globals';

export { launchBrowser } from './chromium.js';

/** Whether the package contains a Chromium for this platform. */
const isSupported = process.platform === 'linux' && process.arch === 'x64';

/**
 * Like `describe`. Skips the tests with a message on platforms for which the development dependencies contain no
 * browser.
 */
export function describeInBrowser(name: string, tests: () => void): void {
  if (isSupported) {
    describe(name, tests);
    return;
  }
  process.stdout.write(`${name}: skipped, because the tests in a browser need Linux on x64\n`);
  describe.skip(name, tests);
}
