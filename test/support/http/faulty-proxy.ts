import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The fault of the proxy, instead of forwarding a request and its response: it closes the connection before the request is
 * forwarded, after it was executed, or in the middle of the response; it never responds; or it sends its own response.
 */
type ProxyFault =
  | 'cut before'
  | 'cut after'
  | 'cut within'
  | 'hang'
  | { status: number; headers?: Record<string, string>; body?: string };

type ReceivedRequest = { method: string; url: string; headers: IncomingMessage['headers'] };

/** An HTTP proxy in front of the service. Each fault in its list applies to one request, in order. */
export class FaultyProxy {
  readonly requests: ReceivedRequest[] = [];
  faults: ProxyFault[] = [];
  private readonly server: Server;

  private constructor(private readonly target: string) {
    this.server = createServer((incoming, answer) => this.handle(incoming, answer));
  }

  static async start(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Clears the list of received requests, and sets the faults for the next ones. */
  reset(...faults: ProxyFault[]): void {
    this.requests.length = 0;
    this.faults = faults;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private handle(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url = '', headers } = incoming;
    this.requests.push({ method, url, headers });
    const fault = this.faults.shift();
    if (fault === 'cut before') answer.destroy();
    else if (typeof fault === 'object') {
      incoming.resume().on('end', () => answer.writeHead(fault.status, fault.headers).end(fault.body));
    } else if (fault !== 'hang') this.forward(incoming, answer, fault);
  }

  private forward(incoming: IncomingMessage, answer: ServerResponse, fault: 'cut after' | 'cut within' | undefined) {
    const { method, url, headers } = incoming;
    const outgoing = request(new URL(url!, this.target), { method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const body = Buffer.concat(parts);
        if (fault === 'cut after') return answer.destroy();
        const { 'transfer-encoding': _, ...rest } = response.headers;
        answer.writeHead(response.statusCode!, { ...rest, 'content-length': String(body.length) });
        if (fault === 'cut within') return answer.write(body.subarray(0, body.length / 2), () => answer.destroy());
        return answer.end(body);
      });
    });
    incoming.pipe(outgoing);
  }
}
