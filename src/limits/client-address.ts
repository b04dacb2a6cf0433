import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';

/**
 * Returns the client address that a request counts towards: the address of the connection, or the one forwarded by
 * trusted proxies. Only the first 64 bits of an IPv6 address are used, because a subscriber has all addresses with the
 * same prefix (RFC 6177).
 */
export function getClientAddress({ ip, socket }: FastifyRequest): string {
  return toRateLimitAddress(isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip);
}

/** Returns the network of an IPv6 address, or an IPv4 address in its plain form even if it was mapped to IPv6. */
export function toRateLimitAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  return mapped ?? toIpv6Network(address);
}

function toIpv6Network(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
