import { InvalidEnvironmentError } from '../../shared/config/env.js';
import { readQueueSettings } from './queue-settings.js';

const NAMES = ['QUEUE_HEARTBEAT', 'QUEUE_SUPERVISION', 'QUEUE_POLLING'];

it('accepts intervals of up to a day, which is the limit of pg-boss', () => {
  const day = { heartbeatSeconds: 86_400, supervisionSeconds: 86_400, pollingSeconds: 86_400 };
  expect(readQueueSettings({ rawVariables: Object.fromEntries(NAMES.map((name) => [name, 'PT24H'])) })).toEqual(day);
});

it.each([
  ['QUEUE_HEARTBEAT', 'PT9S', 'must be at least PT10S'],
  ['QUEUE_HEARTBEAT', 'PT10.5S', 'must be in whole seconds'],
  ['QUEUE_SUPERVISION', 'PT0.9S', 'must be at least PT1S'],
  ['QUEUE_POLLING', 'PT0.4S', 'must be at least PT0.5S'],
  ...NAMES.map((name): [string, string, string] => [name, 'PT25H', 'must be at most PT24H']),
])('%s=%s is refused', (name, value, message) => {
  expect(() => readQueueSettings({ rawVariables: { [name]: value } })).toThrow(
    new InvalidEnvironmentError([`${name} ${message}`]),
  );
});
