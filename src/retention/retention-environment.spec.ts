import { InvalidEnvironmentError, readVariables } from '../shared/config/env.js';
import { retentionVariables } from './retention-environment.js';

it('refuses a schedule that never occurs', () => {
  expect(readVariables(retentionVariables, { RETENTION_CRON: '0 0 3 29 2 *' }).cron).toBe('0 0 3 29 2 *');
  expect(() => readVariables(retentionVariables, { RETENTION_CRON: '0 0 0 30 2 *' })).toThrow(
    new InvalidEnvironmentError(['RETENTION_CRON must be a cron expression with a next time, such as 0 23 2 * * *']),
  );
});

it.each(['sessions', 'sessions=', 'sessions=12', 'sessions=P12Y=x', 'visits=P12Y', 'sessions=UNLIMITED'])(
  'refuses the minimum %s',
  (list) => {
    expect(() => readVariables(retentionVariables, { RETENTION_MINIMUM: list })).toThrow(
      new InvalidEnvironmentError(['RETENTION_MINIMUM must be a list such as sessions=P12Y,audit=P10Y']),
    );
  },
);
