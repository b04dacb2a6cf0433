import { BlockList, isIP } from 'node:net';
import { parseDatabaseUrl } from './database-address.js';

/* Which hosts may be reached without TLS. */

/** All of them on a developer's machine; in production loopback alone, and those that the operator lists. */
export type PlaintextHosts = 'all' | readonly string[];

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a name or an address is this machine. A path is a Unix socket. */
export function isLoopback(host: string): boolean {
  const name = stripBrackets(host);
  const version = isIP(name);
  if (version === 0) return name === 'localhost' || name.startsWith('/');
  return LOOPBACK.check(name, version === 4 ? 'ipv4' : 'ipv6');
}

/** Those of the hosts that need TLS. */
export function hostsThatNeedTls(hosts: readonly string[], allowed: PlaintextHosts): string[] {
  if (allowed === 'all') return [];
  return hosts.filter((host) => !isLoopback(host) && !allowed.includes(stripBrackets(host)));
}

/** Why a URL is refused; undefined where it uses TLS, or needs none. */
export function findPlaintextProblem(
  { hosts, usesTls, remedy }: Destination,
  allowed: PlaintextHosts,
): string | undefined {
  const [host] = usesTls ? [] : hostsThatNeedTls(hosts, allowed);
  return host === undefined ? undefined : `must use TLS (${remedy}), or PLAINTEXT_HOSTS must list its host ${host}`;
}

/** Where a URL leads, whether by TLS, and how it would. */
export type Destination = { hosts: readonly string[]; usesTls: boolean; remedy: string };

export function toHttpDestination(url: string): Destination {
  const { hostname, protocol } = new URL(url);
  return { hosts: [hostname], usesTls: protocol === 'https:', remedy: 'https://' };
}

/** Without `requireTLS`, nodemailer goes on in plain text where the server, or somebody on the way, offers no STARTTLS. */
export function toSmtpDestination(url: string): Destination {
  const { hostname, protocol, searchParams } = new URL(url);
  const usesTls = protocol === 'smtps:' || areAllIn(searchParams.getAll('requireTLS'), ['true']);
  return { hosts: [hostname], usesTls, remedy: 'smtps://, or ?requireTLS=true for STARTTLS' };
}

/** The modes of libpq that never fall back to plain text; `no-verify` is one of pg that anybody on the way can answer. */
const TLS_MODES = ['require', 'verify-ca', 'verify-full'];

/** Of an address as `normaliseDatabaseUrl` leaves it. */
export function toPostgresqlDestination(url: string): Destination {
  const usesTls = areAllIn(new URL(url).searchParams.getAll('sslmode'), TLS_MODES);
  return { hosts: parseDatabaseUrl(url).hosts.map(({ host }) => host), usesTls, remedy: '?sslmode=verify-full' };
}

function areAllIn(values: readonly string[], expected: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => expected.includes(value));
}

/** As URLs write IPv6 addresses. */
export function stripBrackets(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}
