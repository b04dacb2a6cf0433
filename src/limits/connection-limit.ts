import { ServiceUnavailableException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { BlockList, isIPv6, type Socket } from 'node:net';
import type { Environment } from '../shared/config/env.js';
import { closeConnectionAfter, isHealthProbe, forEachServer } from '../shared/http/index.js';
import { normalizeAddress } from './client-address.js';

/** The most connections beyond the limits at one time. They may ask for a health probe; the oldest gives way to a new one. */
const MAX_SURPLUS_CONNECTIONS = 100;
/** How long one of them may take to do so. */
const SURPLUS_TIMEOUT_MS = 2_000;

/** How many connections may be open at one time; 0: as many as come. */
type ConnectionLimits = Pick<Environment, 'connectionLimits' | 'trustedProxies'>;

/**
 * Limits the connections of each address, and of all together. Which of them is a health probe is known only once it has
 * asked: a connection beyond the limits is answered with 503, but for a probe, and closed.
 */
export function limitConnections(fastify: FastifyInstance, limits: ConnectionLimits): void {
  const connections = new ConnectionCounter(limits);
  forEachServer(fastify, (server) => server.on('connection', (socket: Socket) => connections.handleOpened(socket)));
  // After every onRequest hook, so that the headers of CORS are on this answer too.
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    if (connections.isSurplus(request.raw.socket)) {
      closeConnectionAfter(reply);
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
    // A proxy has the connections of many callers, and limits of its own.
    if (this.proxies.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4')) return;
    const { all, address: ofAddress } = this.limits.connectionLimits;
    const address = normalizeAddress(remoteAddress);
    const others = this.openByAddress.get(address) ?? 0;
    if (isLimitReached(all, this.open) || isLimitReached(ofAddress, others)) {
      this.addSurplus(socket);
      return;
    }
    this.open += 1;
    this.openByAddress.set(address, others + 1);
    socket.once('close', () => this.handleClosed(address));
  }

  private handleClosed(address: string): void {
    this.open -= 1;
    const left = this.openByAddress.get(address)! - 1;
    if (left === 0) this.openByAddress.delete(address);
    else this.openByAddress.set(address, left);
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
