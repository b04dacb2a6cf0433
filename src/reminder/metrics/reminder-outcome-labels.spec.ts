import { listExpectedLabels, toOutcomeLabels } from './reminder-outcome-labels.js';

it.each([
  ['QUEUED', 'JOB_LOST'],
  ['DEFERRED', 'QUIET_HOURS'],
  ['DEFERRED', 'CHANNEL_BUSY'],
  ['DEAD', 'ATTEMPTS_EXHAUSTED'],
  ['DEAD', 'LATENESS_REACHED'],
  ['DEAD', 'UNDELIVERABLE'],
  ['SKIPPED', 'OPTED_OUT'],
  ['SKIPPED', 'RECIPIENT_GONE'],
  ['SKIPPED', 'TOO_LATE'],
  ['SKIPPED', 'SESSION_STARTED'],
  ['SKIPPED', 'AFTER_DUE'],
  ['SKIPPED', 'QUIET_HOURS'],
])('%s is counted with its reason %s, from 0', (what, reason) => {
  const labels = { outcome: what.toLowerCase(), channel: 'NONE', reason };
  expect(toOutcomeLabels({ what, reason }, ['LOG'])).toEqual(labels);
  expect(listExpectedLabels(['LOG'])).toContainEqual(labels);
});

it('values that are not listed are counted together', () => {
  const other = { outcome: 'sent', channel: 'OTHER', reason: 'OTHER' };
  expect(toOutcomeLabels({ what: 'SENT', channel: 'PIGEON', reason: 'NEW' }, ['LOG'])).toEqual(other);
  expect(toOutcomeLabels({ what: 'SENT', channel: 'LOG' }, ['LOG'])).toEqual({
    ...{ outcome: 'sent', channel: 'LOG', reason: 'NONE' },
  });
});
