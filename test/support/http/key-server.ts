import { exportJWK, generateKeyPair } from 'jose';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export const createKeyPair = (alg: string) => generateKeyPair(alg, { extractable: true });

/** Returns the public key as an entry of a JSON Web Key Set. */
export const toPublicJwk = async ({ publicKey }: KeyPair, kid: string, alg: string) => ({
  ...(await exportJWK(publicKey)),
  ...{ kid, alg, use: 'sig' },
});

/** A server with a JWKS endpoint. It counts the requests. */
export class KeyServer {
  requestCount = 0;
  /** Handles a request. Tests may replace this function at any time. */
  handler: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: this.keys }));
  };

  private constructor(
    private readonly server: Server,
    public keys: object[],
  ) {}

  static async start(keys: object[] = []): Promise<KeyServer> {
    const server = createServer();
    const keyServer = new KeyServer(server, keys);
    server.on('request', (request, response) => {
      keyServer.requestCount += 1;
      keyServer.handler(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return keyServer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/keys`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
