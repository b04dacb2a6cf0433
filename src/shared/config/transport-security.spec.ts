import {
  toHttpTarget,
  isLoopback,
  findPlaintextProblem,
  toSmtpTarget,
  type ConnectionTarget,
} from './transport-security.js';

const problemOf = (destination: ConnectionTarget, allowed: readonly string[] = []) =>
  findPlaintextProblem(destination, allowed);

it.each([
  'localhost',
  'LOCALHOST',
  '127.0.0.1',
  '127.9.9.9',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  '/var/run/postgresql',
])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

it.each(['0.0.0.0', '::', '10.0.0.1', 'localhost.example.org', '127.0.0.1.example.org', '', 'db'])(
  '%j is not',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

it.each([
  'smtps://mail.example.org',
  'smtps://mail.example.org?requireTLS=false',
  'smtp://mail.example.org?requireTLS=true',
  'smtp://localhost:1025',
])('%s is accepted', (url) => {
  expect(problemOf(toSmtpTarget(url))).toBeUndefined();
});

it.each([
  'smtp://mail.example.org',
  'smtp://mail.example.org:465',
  'smtp://mail.example.org?secure=true',
  'smtp://mail.example.org?requireTLS=yes',
  'smtp://mail.example.org?requireTLS=true&requireTLS=false',
])('%s is refused, because it may use plain text', (url) => {
  expect(problemOf(toSmtpTarget(url))).toMatch(/^must use TLS .* host mail\.example\.org$/);
});

it('exempts only the listed hosts', () => {
  const destination = toHttpTarget('http://[fd00::1]:8080/hook');
  expect(problemOf(destination, ['fd00::1'])).toBeUndefined();
  expect(problemOf(destination, ['fd00::2', 'fd00'])).toBe(
    'must use TLS (https://), or PLAINTEXT_HOSTS must list its host [fd00::1]',
  );
});
