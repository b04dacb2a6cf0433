import Sequencer from '@jest/test-sequencer';
import { basename } from 'node:path';

/** Seconds of the longest files, as `npm run test:slowest` prints them. A fresh checkout has no times of an earlier run. */
const SECONDS = {
  ...{
    'every-page': 110,
    'status-table': 80,
    'move-clinic-load': 70,
    'directory-at-scale': 60,
    'embedded-directory': 57,
  },
  ...{ tutorial: 56, 'vault-keys': 45, 'session-lists': 47, fuzz: 47, 'conflict-races': 46, 'audit-retirement': 46 },
  ...{ directory: 45, 'key-rotation': 42, migrations: 41, backup: 37, 'swagger-examples': 40, 'zone-data': 30 },
  ...{ clinic: 30, simulate: 29, 'cost-ratio': 28, 'audit-export': 27, openapi: 27, audit: 26, 'plan-editor': 26 },
  ...{ 'client-export-columns': 26, 'erasure-canaries': 25, 'homework-races': 24, week: 23, 'reminder-history': 22 },
  ...{ 'command-entries': 20, oidc: 20, calendar: 20, 'client-export-streaming': 19, 'console-security': 19, care: 19 },
  ...{ 'compose-encryption': 19 },
};

/** Seconds of the files that mostly wait: for timers, for retries, and until a process has started or ended. */
const WAITING = {
  ...{ 'reminder-faults': 92, 'reminder-instances': 80, 'reminder-pauses': 61, 'reminder-unwritten': 53 },
  ...{ 'erasure-kills': 51, canaries: 41, 'stop-under-load': 39, instances: 38, 'slow-connections': 38 },
  ...{ 'write-kills': 35, 'database-faults': 33, 'reminder-kills': 32, replica: 30, 'half-open': 28 },
  ...{ 'reminder-mail': 23, failover: 19, 'reminder-cancel': 19 },
};

/** Seconds of a file that is in no list. */
const USUAL_SECONDS = 6;

const nameOf = ({ path }) => basename(path).replace(/\.[\w-]+\.ts$/, '');
const isWaiting = (test) => test.path.endsWith('.pg-spec.ts') && nameOf(test) in WAITING;

/**
 * Starts the longest files first, so that no long file runs alone at the end. Spreads the files that wait over the run: one
 * worker waits while the others keep the cores busy.
 */
export default class LongestFirstSequencer extends Sequencer {
  time(test) {
    const known = super.time(test);
    if (known !== undefined || test.context.config.displayName?.name === 'unit') return known;
    return 1_000 * (WAITING[nameOf(test)] ?? SECONDS[nameOf(test)] ?? USUAL_SECONDS);
  }

  sort(tests) {
    const sorted = super.sort(tests);
    const [waiting, busy] = [sorted.filter(isWaiting), sorted.filter((test) => !isWaiting(test))];
    const ordered = [];
    for (let balance = 0; waiting.length + busy.length > 0;) {
      const isTurnOfWaiting = busy.length === 0 || (waiting.length > 0 && balance >= 0);
      const next = isTurnOfWaiting ? waiting.shift() : busy.shift();
      ordered.push(next);
      // Two thirds of the time are for the others.
      balance += isTurnOfWaiting ? -2 * next.duration : next.duration;
    }
    return ordered;
  }
}
