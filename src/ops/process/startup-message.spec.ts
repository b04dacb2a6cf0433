import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { decodeJwt } from 'jose';
import { TEST_JWT_SECRET, testEnvironment } from '../../../test/support/app/test-environment.js';
import type { Environment } from '../../shared/config/env.js';
import { printStartupMessage } from './startup-message.js';

const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const generated = { ...testEnvironment.token, key: { kind: 'generated', dataDir: 'memory:' } } as const;

beforeAll(() => Logger.overrideLogger(false));
afterEach(() => jest.restoreAllMocks());

/** Returns the text that `printStartupMessage` writes to standard output. */
async function printedText(change: Partial<Environment>): Promise<string> {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  await printStartupMessage({ ...testEnvironment, ...change });
  return write.mock.calls.map(([text]) => String(text)).join('');
}

it('prints demonstration tokens if only this machine reaches the service', async () => {
  const text = await printedText({ token: generated });
  expect(text).toContain('Demonstration tokens, valid for 8 hours:');
  const roles = new Set(text.match(TOKEN)!.map((token) => decodeJwt(token)['role']));
  expect(roles).toEqual(new Set(['CLINIC', 'CARE_PROVIDER', 'CLIENT', 'ADMIN']));
});

it('prints tokens with the maximum lifetime if it is below 8 hours', async () => {
  const text = await printedText({ token: { ...generated, maxLifetime: Temporal.Duration.from('PT90M') } });
  expect(text).toContain('Demonstration tokens, valid for 1 hour, 30 minutes:');
  for (const token of text.match(TOKEN)!) {
    const { iat, exp } = decodeJwt(token);
    expect(exp! - iat!).toBe(5_400);
  }
});

it.each<[string, Partial<Environment>]>([
  ['the secret is configured', { token: { ...generated, key: { kind: 'secret', secret: TEST_JWT_SECRET } } }],
  ['other machines reach the service', { token: generated, host: '0.0.0.0' }],
  ['other machines reach the service by name', { token: generated, host: 'care.example.org' }],
])('prints no token if %s', async (_, change) => {
  const text = await printedText(change);
  expect(text.match(TOKEN)).toBeNull();
  expect(text).toContain('npm run --silent token -- --role CLINIC --id 1');
});
