import { ServiceUnavailableException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { BlockList, isIPv6, type Socket } from 'node:net';
import type { Environment } from '../shared/config/env.js';
import { closeConnectionAfterReply, isHealthProbe, forEachServer } from '../shared/http/index.js';
import { toRateLimitAddress } from './client-address.js';

/**
 * Maximum number of connections beyond the limits that are kept open in case they carry a health probe. A further
 * connection replaces the oldest one.
 */
const MAX_SURPLUS_CONNECTIONS = 100;
/** Time after which a connection beyond the limits is closed. */
const SURPLUS_TIMEOUT_MS = 2_000;

/** Maximum numbers of open connections (0 means no limit), and the proxies to which the limits do not apply. */
type ConnectionLimits = Pick<Environment, 'connectionLimits' | 'trustedProxies'>;

/**
 * Limits the number of open connections per address and in total. A connection beyond the limits is still accepted,
 * because only its request shows whether it is a health probe. A probe is answered, any other request gets a 503, and
 * then the connection is closed.
 */
export function limitConnections(fastify: FastifyInstance, limits: ConnectionLimits): void {
  const connections = new ConnectionCounter(limits);
  forEachServer(fastify, (server) => server.on('connection', (socket: Socket) => connections.handleOpened(socket)));
  // preParsing hooks run after all onRequest hooks, so error responses include the CORS headers.
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    if (connections.isSurplus(request.raw.socket)) {
      closeConnectionAfterReply(reply);
      if (!isHealthProbe(request)) throw new ServiceUnavailableException();
    }
    done();
  });
}

class ConnectionCounter {
  private open = 0;
  private readonly openByAddress = new Map<string, number>();
  private readonly surplus = new Set<Socket>();
  private readonly proxies: BlockList;

  constructor(private readonly limits: ConnectionLimits) {
    this.proxies = createBlockList(limits.trustedProxies);
  }

  isSurplus(socket: Socket): boolean {
    return this.surplus.has(socket);
  }

  handleOpened(socket: Socket): void {
    const [remoteAddress = ''] = (socket.remoteAddress ?? '').split('%');
    // A trusted proxy opens connections for many callers and limits them itself.
    if (this.proxies.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4')) return;
    const { all, address: ofAddress } = this.limits.connectionLimits;
    const address = toRateLimitAddress(remoteAddress);
    const openHere = this.openByAddress.get(address) ?? 0;
    if (isLimitReached(all, this.open) || isLimitReached(ofAddress, openHere)) {
      this.addSurplus(socket);
      return;
    }
    this.open += 1;
    this.openByAddress.set(address, openHere + 1);
    socket.once('close', () => this.handleClosed(address));
  }

  private handleClosed(address: string): void {
    this.open -= 1;
    const remaining = this.openByAddress.get(address)! - 1;
    if (remaining === 0) this.openByAddress.delete(address);
    else this.openByAddress.set(address, remaining);
  }

  private addSurplus(socket: Socket): void {
    const [oldest] = this.surplus;
    if (this.surplus.size >= MAX_SURPLUS_CONNECTIONS) oldest!.destroy();
    this.surplus.add(socket);
    const timer = setTimeout(() => socket.destroy(), SURPLUS_TIMEOUT_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      this.surplus.delete(socket);
    });
  }
}

function isLimitReached(limit: number, open: number): boolean {
  return limit > 0 && open >= limit;
}

function createBlockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', prefix] = block.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return list;
}
