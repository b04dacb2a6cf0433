import { testEnvironment } from '../../../test/support/app/test-environment.js';
import { readMetricsEnvironment } from './metrics-environment.js';

const read = (METRICS_TOKEN: string) => readMetricsEnvironment({ ...testEnvironment, rawVariables: { METRICS_TOKEN } });

it.each([
  ['is too short', 'Wq7hT2zXk9RvNc4mLs8', 'must be at least 20 characters'],
  ['has a space', 'Wq7hT2zXk9RvNc4mLs8D Wq7h', 'without spaces'],
  ['is easy to guess', 'metricsmetricsmetrics', 'is easy to guess'],
])('a token that %s is refused', (_why, token, message) => {
  expect(() => read(token)).toThrow(message);
});

it.each(['Wq7hT2zXk9RvNc4mLs8D', '6f1c2d3e4b5a49688776a5b4c3d2e1f0'])('accepts the random token %s', (token) => {
  expect(read(token).token).toBe(token);
});
