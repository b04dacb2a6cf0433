import { BlockList, isIP } from 'node:net';
import { parseDatabaseUrl } from './database-address.js';

/* Decides to which hosts connections without TLS are allowed. */

/**
 * `all` outside production. In production, the hosts in `PLAINTEXT_HOSTS`; the local machine is always allowed as well.
 */
export type PlaintextHosts = 'all' | readonly string[];

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host is this machine. A path counts as this machine, because it is a Unix socket. */
export function isLoopback(host: string): boolean {
  const name = normaliseHost(host);
  const version = isIP(name);
  if (version === 0) return name === 'localhost' || name.startsWith('/');
  return LOOPBACK.check(name, version === 4 ? 'ipv4' : 'ipv6');
}

/** Returns the hosts to which connections must use TLS. */
function findHostsRequiringTls(hosts: readonly string[], allowed: PlaintextHosts): string[] {
  if (allowed === 'all') return [];
  return hosts.filter((host) => !isLoopback(host) && !allowed.includes(normaliseHost(host)));
}

/** Explains why a connection is refused. Returns undefined if it uses TLS or does not need TLS. */
export function findPlaintextProblem(
  { hosts, usesTls, remedy }: ConnectionTarget,
  allowed: PlaintextHosts,
): string | undefined {
  const [host] = usesTls ? [] : findHostsRequiringTls(hosts, allowed);
  return host === undefined ? undefined : `must use TLS (${remedy}), or PLAINTEXT_HOSTS must list its host ${host}`;
}

/** The hosts in a URL, whether the URL requires TLS, and the change to the URL that would require it. */
export type ConnectionTarget = { hosts: readonly string[]; usesTls: boolean; remedy: string };

export function toHttpTarget(url: string): ConnectionTarget {
  const { hostname, protocol } = new URL(url);
  return { hosts: [hostname], usesTls: protocol === 'https:', remedy: 'https://' };
}

/**
 * Returns the target of an SMTP URL. Without `requireTLS`, nodemailer continues in plain text if STARTTLS is not
 * offered or an attacker suppresses it.
 */
export function toSmtpTarget(url: string): ConnectionTarget {
  const { hostname, protocol, searchParams } = new URL(url);
  const usesTls = protocol === 'smtps:' || areAllIn(searchParams.getAll('requireTLS'), ['true']);
  return { hosts: [hostname], usesTls, remedy: 'smtps://, or ?requireTLS=true for STARTTLS' };
}

/** The libpq modes that never fall back to plain text. pg's `no-verify` is not listed: it accepts any certificate. */
const TLS_MODES = ['require', 'verify-ca', 'verify-full'];

/** Returns the target of a database URL. @param url in the form that `normaliseDatabaseUrl` returns */
export function toPostgresqlTarget(url: string): ConnectionTarget {
  const usesTls = areAllIn(new URL(url).searchParams.getAll('sslmode'), TLS_MODES);
  return { hosts: parseDatabaseUrl(url).hosts.map(({ host }) => host), usesTls, remedy: '?sslmode=verify-full' };
}

function areAllIn(values: readonly string[], expected: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => expected.includes(value));
}

/** Returns a host in lower case, and an IPv6 address without the brackets that it has in a URL. */
export function normaliseHost(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}
