import { spawnSync } from 'node:child_process';

/*
 * npm run test:alerts [-- --live]: checks and tests the alert rules with promtool (Debian package "prometheus"). With
 * --live, also runs a Prometheus that scrapes the service.
 */

const CHECKS = [
  ['check', 'rules', 'monitoring/alerts.yml'],
  ['test', 'rules', 'monitoring/alerts.test.yml'],
];

/** Also triggers the alerts in a running service (test/ops/live-alerts.ts). */
const LIVE = process.argv.includes('--live');

if (spawnSync('promtool', ['--version']).error) {
  process.stdout.write('Skipped: promtool is not installed (Debian: apt-get install prometheus).\n');
} else {
  for (const check of CHECKS) {
    const { status } = spawnSync('promtool', check, { stdio: 'inherit' });
    if (status !== 0) process.exit(1);
  }
  if (LIVE) {
    const build = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
    if (build.status !== 0) process.exit(1);
    const { status } = spawnSync(process.execPath, ['dist/test/ops/live-alerts.js'], { stdio: 'inherit' });
    process.exit(status ?? 1);
  }
}
