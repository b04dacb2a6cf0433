import { testEnvironment } from '../../../test/support/app/test-environment.js';
import type { Environment } from '../../shared/config/env.js';
import { canIssueDemonstrationTokens } from './demonstration-tokens.js';

const local: Environment = {
  ...testEnvironment,
  token: { ...testEnvironment.token, key: { kind: 'generated', dataDir: 'memory:' } },
  publicUrl: 'http://localhost:3000',
};

it.each<[given: boolean, what: string, settings: Partial<Environment>]>([
  [true, 'the generated secret of an embedded database, on this machine', {}],
  [true, 'another address of this machine', { host: '::1', publicUrl: 'http://127.0.0.1:8080' }],
  [false, 'a configured secret', { token: testEnvironment.token }],
  [false, 'a key set', { token: { ...local.token, key: { kind: 'keySet', url: 'https://id.example.org' } } }],
  [false, 'PostgreSQL', { database: { kind: 'postgresql' } as Environment['database'] }],
  [false, 'all addresses', { host: '0.0.0.0' }],
  [false, 'an address of the network', { host: '192.168.1.7' }],
  [false, 'a public URL', { publicUrl: 'https://care.example.org' }],
  [false, 'a proxy', { trustedProxies: ['127.0.0.1'] }],
])('issues tokens (%s) with %s', (given, _what, settings) => {
  expect(canIssueDemonstrationTokens({ ...local, ...settings })).toBe(given);
});
