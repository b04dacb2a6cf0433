import { execFileSync, spawnSync } from 'node:child_process';
import process from 'node:process';

/**
 * Builds the service unless TEST_BUILT is set, and runs the end-to-end tests with a Jest configuration of their own. Passes
 * on the arguments of the command, and exits with the status of Jest.
 *
 * @param environment what the set-up of the tests reads, in addition to the environment of the command
 */
export function runEndToEndTests(configuration: string, environment: Record<string, string>): never {
  if (process.env['TEST_BUILT'] === undefined)
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const flags = ['--experimental-vm-modules', '--max-semi-space-size=64', '--no-warnings'];
  const { status } = spawnSync(
    process.execPath,
    [...flags, 'node_modules/jest/bin/jest.js', '--config', configuration, ...process.argv.slice(2)],
    { stdio: 'inherit', env: { ...process.env, ...environment, TEST_BUILT: 'yes' } },
  );
  process.exit(status ?? 1);
}
