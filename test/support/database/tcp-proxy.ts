import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/**
 * A TCP proxy that can drop all packets in both directions, like a firewall that has lost its state, and that can close
 * connections.
 */
export class TcpProxy {
  /** Connections whose client sends this text are closed. */
  closingText: string | undefined;
  private isDroppingPackets = false;
  private readonly sockets = new Set<Socket>();
  private readonly deadSockets = new WeakSet<Socket>();
  private readonly server: Server;

  private constructor(private readonly target: URL) {
    this.server = createServer((near) => this.forward(near));
  }

  static async start(target: URL): Promise<TcpProxy> {
    const wire = new TcpProxy(target);
    await new Promise<void>((resolve) => wire.server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  /** Returns the URL with the port of the proxy. */
  toProxyUrl(url: URL): string {
    return Object.assign(new URL(url), { port: String((this.server.address() as AddressInfo).port) }).href;
  }

  /** Drops all data from now on, without closing any connection. */
  dropPackets(): void {
    this.isDroppingPackets = true;
    for (const socket of this.sockets) {
      this.deadSockets.add(socket);
      socket.unpipe().resume();
    }
  }

  /** Accepts new connections again. Earlier connections remain half-open. */
  acceptConnections(): void {
    this.isDroppingPackets = false;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forward(near: Socket): void {
    this.track(near);
    if (this.isDroppingPackets) {
      near.resume();
      return;
    }
    const far = this.track(connect(Number(this.target.port), this.target.hostname));
    near.pipe(far).pipe(near);
    near.on('data', (data: Buffer) => {
      if (this.closingText !== undefined && data.includes(this.closingText)) near.destroy();
    });
    near.on('close', () => this.deadSockets.has(near) || far.destroy());
    far.on('close', () => this.deadSockets.has(far) || near.destroy());
  }

  private track(socket: Socket): Socket {
    this.sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }
}
