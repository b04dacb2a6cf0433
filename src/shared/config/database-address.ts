/** A server that a database may be found at. A host that begins with `/` is the directory of a socket. */
export type DatabaseHost = { host: string; port: number };

/** Which of the servers will do, as libpq's `target_session_attrs` says it. */
export const TARGET_SESSIONS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
export type TargetSession = (typeof TARGET_SESSIONS)[number];

export type DatabaseAddress = { hosts: readonly DatabaseHost[]; targetSession: TargetSession };

/** An address is not one of PostgreSQL; the message says what it must be. */
export class InvalidDatabaseUrlError extends Error {}

const DEFAULT_PORT = 5432;
/** The parameter that carries several hosts, as `URL` reads no more than one before the path. */
const HOSTS_PARAMETER = 'hosts';
const URL_PARTS = /^(?<before>postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)(?<hosts>[^/?#]*)(?<after>.*)$/i;

/**
 * Brings an address of libpq's form, which may name several hosts (`postgres://user@h1:5432,h2/db`), into a form that
 * `URL` and the driver read: the first host where it belongs, all of them as a parameter.
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
 * Where connections to a normalised address may go.
 *
 * @throws InvalidDatabaseUrlError
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const { hostname, port, searchParams } = parsePostgresqlUrl(url);
  const targetSession = (searchParams.get('target_session_attrs') ?? 'any') as TargetSession;
  if (!TARGET_SESSIONS.includes(targetSession))
    throw new InvalidDatabaseUrlError(`must have a target_session_attrs of ${TARGET_SESSIONS.join(', ')}`);
  const list = searchParams.get(HOSTS_PARAMETER);
  if (list !== null) return { hosts: list.split(',').map(parseHost), targetSession };
  // libpq and the driver prefer these parameters to what stands before the path.
  const names = (searchParams.get('host') ?? stripBrackets(decodeURIComponent(hostname))).split(',');
  const ports = (searchParams.get('port') ?? port).split(',');
  const portAt = (index: number) => Number(ports[index] ?? ports[0]) || DEFAULT_PORT;
  return { hosts: names.map((name, index) => ({ host: name || 'localhost', port: portAt(index) })), targetSession };
}

function parseHost(text: string): DatabaseHost {
  const { hostname, port } = parsePostgresqlUrl(`postgres://${text}`);
  if (hostname === '') throw new InvalidDatabaseUrlError('must have a name or an address for each of its hosts');
  return { host: stripBrackets(decodeURIComponent(hostname)), port: Number(port) || DEFAULT_PORT };
}

function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[(.+)\]$/, '$1');
}

function parsePostgresqlUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new InvalidDatabaseUrlError('must be a postgres:// URL');
  return url;
}
