/** A database server. A host that begins with `/` is the directory of a Unix socket. */
export type DatabaseHost = { host: string; port: number };

/**
 * The values of libpq's `target_session_attrs`, which determine to which of several servers a connection may be made.
 */
const TARGET_SESSION_ATTRIBUTES = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
export type TargetSessionAttribute = (typeof TARGET_SESSION_ATTRIBUTES)[number];

export type DatabaseAddress = { hosts: readonly DatabaseHost[]; targetSession: TargetSessionAttribute };

/** The URL is not a valid PostgreSQL URL. The message continues a sentence that begins with the variable name. */
export class InvalidDatabaseUrlError extends Error {}

const DEFAULT_PORT = 5432;
/** Name of the query parameter that contains all hosts, because `URL` can parse only one host before the path. */
const HOSTS_PARAMETER = 'hosts';
const URL_PARTS = /^(?<before>postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)(?<hosts>[^/?#]*)(?<after>.*)$/i;

/**
 * Converts a libpq URL, which may name several hosts (`postgres://user@h1:5432,h2/db`), into a form that `URL` and the
 * driver can parse: the first host stays before the path, and the query parameter `hosts` lists all of them.
 *
 * @throws InvalidDatabaseUrlError
 */
export function normaliseDatabaseUrl(text: string): string {
  const { before, hosts, after } = URL_PARTS.exec(text)?.groups ?? {};
  const list = hosts?.split(',') ?? [];
  const url = parsePostgresqlUrl(list.length > 1 ? `${before}${list[0]}${after}` : text);
  if (list.length > 1) url.searchParams.set(HOSTS_PARAMETER, list.join(','));
  parseDatabaseUrl(url.href);
  return list.length > 1 ? url.href : text;
}

/**
 * Reads the servers and the session type from a URL that `normaliseDatabaseUrl` has returned.
 *
 * @throws InvalidDatabaseUrlError
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const { hostname, port, searchParams } = parsePostgresqlUrl(url);
  const targetSession = (searchParams.get('target_session_attrs') ?? 'any') as TargetSessionAttribute;
  if (!TARGET_SESSION_ATTRIBUTES.includes(targetSession))
    throw new InvalidDatabaseUrlError(`must have a target_session_attrs of ${TARGET_SESSION_ATTRIBUTES.join(', ')}`);
  const list = searchParams.get(HOSTS_PARAMETER);
  if (list !== null) return { hosts: list.split(',').map(parseHost), targetSession };
  // In libpq and the driver, these query parameters take precedence over the host before the path.
  const names = (searchParams.get('host') ?? stripBrackets(decodeURIComponent(hostname))).split(',');
  const ports = (searchParams.get('port') ?? port).split(',');
  const portAt = (index: number) => Number(ports[index] ?? ports[0]) || DEFAULT_PORT;
  return { hosts: names.map((name, index) => ({ host: name || 'localhost', port: portAt(index) })), targetSession };
}

/** Returns hosts and name of a database, as in `db.example:5432/care`, without account and password. */
export function describeDatabase(url: string): string {
  const hosts = parseDatabaseUrl(url).hosts.map(({ host, port }) => `${host}:${port}`);
  return `${hosts.join(',')}/${getDatabaseName(url)}`;
}

/** Returns the percent-encoded name of the database; empty if the URL leaves it to the name of the account. */
export function getDatabaseName(url: string): string {
  return parsePostgresqlUrl(url).pathname.slice(1);
}

function parseHost(text: string): DatabaseHost {
  const { hostname, port } = parsePostgresqlUrl(`postgres://${text}`);
  if (hostname === '') throw new InvalidDatabaseUrlError('must have a name or an address for each of its hosts');
  return { host: stripBrackets(decodeURIComponent(hostname)), port: Number(port) || DEFAULT_PORT };
}

/** Removes the brackets of an IPv6 address. Keeps upper case, because the host can be the path of a Unix socket. */
function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[(.+)\]$/, '$1');
}

function parsePostgresqlUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new InvalidDatabaseUrlError('must be a postgres:// URL');
  return url;
}
