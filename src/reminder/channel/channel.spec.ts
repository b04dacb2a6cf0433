import { testEnvironment } from '../../../test/support/app/test-environment.js';
import { TestClock } from '../../../test/support/app/test-clock.js';
import { InvalidEnvironmentError } from '../../shared/config/env.js';
import { Tracing } from '../../shared/tracing/index.js';
import { EmailChannel } from './email/email.channel.js';
import { WebhookChannel } from './webhook/webhook.channel.js';

/** The lines of the startup error that these variables cause. */
function findErrorLines(given: Record<string, string>, plaintextHosts: readonly string[] = []): readonly string[] {
  const environment = { ...testEnvironment, rawVariables: given, plaintextHosts };
  try {
    new EmailChannel(environment).onApplicationShutdown();
    new WebhookChannel(environment, new TestClock(), new Tracing());
    return [];
  } catch (error) {
    if (error instanceof InvalidEnvironmentError) return error.lines;
    throw error;
  }
}

it.each([
  [
    'SMTP_URL must use TLS (smtps://, or ?requireTLS=true for STARTTLS)',
    { SMTP_URL: 'smtp://messages.example:25', MAIL_FROM: 'no-reply@care.example.org' },
  ],
  [
    'REMINDER_WEBHOOK_URL must use TLS (https://)',
    {
      REMINDER_WEBHOOK_URL: 'http://messages.example/',
      REMINDER_WEBHOOK_SECRET: 'whsec_bG9uZyBlbm91Z2ggZm9yIGEgdGVzdCE5',
    },
  ],
])('%s, unless its host is exempt', (line, given) => {
  expect(findErrorLines(given)).toEqual([`${line}, or PLAINTEXT_HOSTS must list its host messages.example`]);
  expect(findErrorLines(given, ['messages.example'])).toEqual([]);
});

it.each(['user@', 'user:secret@', ':secret@'])('a webhook URL must not contain %s', (credentials) => {
  const given = {
    REMINDER_WEBHOOK_URL: `https://${credentials}messages.example/`,
    REMINDER_WEBHOOK_SECRET: 'whsec_bG9uZyBlbm91Z2ggZm9yIGEgdGVzdCE5',
  };
  expect(findErrorLines(given)).toEqual(['REMINDER_WEBHOOK_URL must not contain a user name or password']);
  expect(findErrorLines({ ...given, REMINDER_WEBHOOK_URL: 'no URL' })).toEqual([
    'REMINDER_WEBHOOK_URL must be an http(s) URL',
  ]);
});
