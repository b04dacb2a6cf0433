import { spawnSync } from 'node:child_process';

/* npm run test:alerts: the alert rules and their tests, by promtool of Debian's package "prometheus". */

const CHECKS = [
  ['check', 'rules', 'monitoring/alerts.yml'],
  ['test', 'rules', 'monitoring/alerts.test.yml'],
];

if (spawnSync('promtool', ['--version']).error) {
  process.stdout.write('Skipped: promtool is not installed (Debian: apt-get install prometheus).\n');
} else {
  for (const check of CHECKS) {
    const { status } = spawnSync('promtool', check, { stdio: 'inherit' });
    if (status !== 0) process.exit(1);
  }
}
