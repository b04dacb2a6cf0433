import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A way to a server that can swallow all packets, in both directions, as a firewall does that has lost its state. */
export class TcpWire {
  private isCutOff = false;
  private readonly sockets = new Set<Socket>();
  private readonly dead = new WeakSet<Socket>();
  private readonly server: Server;

  private constructor(private readonly target: URL) {
    this.server = createServer((near) => this.carry(near));
  }

  static async to(target: URL): Promise<TcpWire> {
    const wire = new TcpWire(target);
    await new Promise<void>((resolve) => wire.server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  /** An address of the server, by this way. */
  through(url: URL): string {
    return Object.assign(new URL(url), { port: String((this.server.address() as AddressInfo).port) }).href;
  }

  /** From now on nothing arrives, and nobody is told. */
  cutOff(): void {
    this.isCutOff = true;
    for (const socket of this.sockets) {
      this.dead.add(socket);
      socket.unpipe().resume();
    }
  }

  /** New connections come about again. What was there before, or was begun meanwhile, stays dead without a word. */
  restore(): void {
    this.isCutOff = false;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private carry(near: Socket): void {
    this.keep(near);
    if (this.isCutOff) {
      near.resume();
      return;
    }
    const far = this.keep(connect(Number(this.target.port), this.target.hostname));
    near.pipe(far).pipe(near);
    near.on('close', () => this.dead.has(near) || far.destroy());
    far.on('close', () => this.dead.has(far) || near.destroy());
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }
}
