import fc from 'fast-check';
import { isStrongSecret } from './secret-strength.js';

it.each([
  'x'.repeat(32),
  'ab'.repeat(20),
  '0123456789abcdef0123456789abcdef',
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'changemechangemechangemechangeme',
  'secret-secret-secret-secret-secret-secret',
  '00000000-0000-0000-0000-000000000000',
  '2026-11-24 2026-11-24 2026-11-24 2026',
  'x'.repeat(100_000),
])('%.40s is easy to guess', (secret) => {
  expect(isStrongSecret(secret)).toBe(false);
});

it.each(['base64url', 'base64', 'hex'] as const)('accepts random bytes in %s', (encoding) => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 64 }).filter((array) => new Set(array).size > 20);
  fc.assert(
    fc.property(bytes, (array) => isStrongSecret(Buffer.from(array).toString(encoding))),
    { numRuns: 10 },
  );
});
