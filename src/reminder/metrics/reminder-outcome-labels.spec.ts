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

it.each(['FAILED', 'DEFERRED'])('%s is counted with its channel, from 0', (what) => {
  const [channel, reason] = ['EMAIL', what === 'DEFERRED' ? 'CHANNEL_BUSY' : 'NONE'];
  const labels = { outcome: what.toLowerCase(), channel, reason };
  expect(toOutcomeLabels({ what, channel, ...(what === 'DEFERRED' && { reason }) }, ['EMAIL'])).toEqual(labels);
  expect(listExpectedLabels(['EMAIL'])).toContainEqual(labels);
});

it('values that are not listed are counted together', () => {
  const other = { outcome: 'sent', channel: 'OTHER', reason: 'OTHER' };
  expect(toOutcomeLabels({ what: 'SENT', channel: 'PIGEON', reason: 'NEW' }, ['LOG'])).toEqual(other);
  expect(toOutcomeLabels({ what: 'SENT', channel: 'LOG' }, ['LOG'])).toEqual({
    ...{ outcome: 'sent', channel: 'LOG', reason: 'NONE' },
  });
});
