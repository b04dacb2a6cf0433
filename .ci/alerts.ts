import { spawnSync } from 'node:child_process';

/*
 * npm run test:alerts [-- --live]: checks and tests the alert rules with promtool (Debian package "prometheus"), and the
 * example for Alertmanager with amtool ("prometheus-alertmanager"). With --live, also runs a Prometheus that scrapes the
 * service.
 */

const AMTOOL = ['amtool', 'check-config', 'monitoring/alertmanager.yml'];
const PROMTOOL = [
  ['promtool', 'check', 'rules', 'monitoring/alerts.yml'],
  ['promtool', 'test', 'rules', 'monitoring/alerts.test.yml'],
];

/** Also triggers the alerts in a running service (test/ops/live-alerts.ts). */
const LIVE = process.argv.includes('--live');

if (isInstalled('amtool', 'prometheus-alertmanager')) check(AMTOOL);
if (isInstalled('promtool', 'prometheus')) {
  for (const command of PROMTOOL) check(command);
  if (LIVE) {
    const build = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
    if (build.status !== 0) process.exit(1);
    const { status } = spawnSync(process.execPath, ['dist/test/ops/live-alerts.js'], { stdio: 'inherit' });
    process.exit(status ?? 1);
  }
}

function isInstalled(program: string, debianPackage: string): boolean {
  const isMissing = spawnSync(program, ['--version']).error !== undefined;
  if (isMissing)
    process.stdout.write(`Skipped: ${program} is not installed (Debian: apt-get install ${debianPackage}).\n`);
  return !isMissing;
}

/** Ends this process if the command fails. */
function check([program, ...args]: string[]): void {
  const { status } = spawnSync(program!, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
