import {
  describeDatabase,
  parseDatabaseUrl,
  InvalidDatabaseUrlError,
  normaliseDatabaseUrl,
} from './database-address.js';

const read = (text: string) => parseDatabaseUrl(normaliseDatabaseUrl(text));

it.each([
  ['postgres://u:p@h1/db', [['h1', 5432]], 'any'],
  ['postgresql://h1:6000/db?target_session_attrs=read-write', [['h1', 6000]], 'read-write'],
  [
    'postgres://u:p@h1:6000,h2/db?target_session_attrs=primary',
    [
      ['h1', 6000],
      ['h2', 5432],
    ],
    'primary',
  ],
  [
    'postgres://u:p@[::1]:6000,[fe80::2],10.0.0.3:7/db',
    [
      ['::1', 6000],
      ['fe80::2', 5432],
      ['10.0.0.3', 7],
    ],
    'any',
  ],
  ['postgres:///db?host=/run/postgresql', [['/run/postgresql', 5432]], 'any'],
  // In the driver, query parameters take precedence over the host before the path.
  ['postgres://localhost/db?host=elsewhere&port=6000', [['elsewhere', 6000]], 'any'],
  [
    'postgres:///db?host=h1,h2&port=1,2',
    [
      ['h1', 1],
      ['h2', 2],
    ],
    'any',
  ],
  ['postgres:///db', [['localhost', 5432]], 'any'],
])('%s', (text, hosts, targetSession) => {
  expect(read(text)).toEqual({ hosts: hosts.map(([host, port]) => ({ host, port })), targetSession });
});

it('returns a URL with one host unchanged, and keeps all other parts of a URL with several hosts', () => {
  const account = 'u:p%40';
  const one = `postgres://${account}@h1/db?sslmode=verify-full`;
  expect(normaliseDatabaseUrl(one)).toBe(one);
  const url = new URL(normaliseDatabaseUrl(`postgres://${account}@h1:6000,h2/db?sslmode=verify-full`));
  expect([url.host, url.username, url.password, url.pathname]).toEqual(['h1:6000', 'u', 'p%40', '/db']);
  expect(url.searchParams.get('sslmode')).toBe('verify-full');
});

it.each([
  'mysql://localhost/db',
  'h1,h2',
  'postgres://h1,,h2/db',
  'postgres://h1,/db',
  'postgres://h1:port,h2/db',
  'postgres://h1,h2:70000/db',
  'postgres://h1/db?target_session_attrs=writable',
])('refuses %s', (text) => {
  expect(() => normaliseDatabaseUrl(text)).toThrow(InvalidDatabaseUrlError);
});

it.each([
  ['postgres://owner:secret@db.example/care?sslmode=verify-full', 'db.example:5432/care'],
  ['postgres://owner:secret@h1:6000,h2/care', 'h1:6000,h2:5432/care'],
  ['postgres:///care?host=/run/postgresql&password=secret', '/run/postgresql:5432/care'],
  ['postgres://owner:secret@localhost', 'localhost:5432/'],
])('describes %s without account and password', (url, description) => {
  expect(describeDatabase(normaliseDatabaseUrl(url))).toBe(description);
});
