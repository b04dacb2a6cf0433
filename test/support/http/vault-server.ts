import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

type Item = { plaintext?: string; ciphertext?: string; associated_data?: string };
type Token = { ttl: number; creationTtl: number; renewable: boolean };
type Answer = { status: number; body?: unknown; headers?: Record<string, string> };

/**
 * A server that speaks the parts of the HTTP API of HashiCorp Vault and OpenBao that the service uses: the transit
 * engine with batches, associated data and versions of keys, and tokens that expire.
 */
export class VaultServer {
  readonly tokens = new Map<string, Token>();
  /** The path of each request, and the number of items in its batch. */
  readonly requests: { path: string; items: number; namespace: string | undefined }[] = [];
  /** All plain data keys that have passed, in base64. */
  readonly plaintexts = new Set<string>();
  isSealed = false;
  /** Further requests that fail with this status before the others succeed. */
  failures: number[] = [];
  minimumVersion = 1;
  delayMs = 0;
  maxTtl = Number.POSITIVE_INFINITY;
  private readonly versions = [randomBytes(32)];
  private readonly server: Server;
  private port = 0;

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(token: string): Promise<VaultServer> {
    const vault = new VaultServer();
    vault.tokens.set(token, { ttl: 0, creationTtl: 0, renewable: false });
    await vault.listen();
    return vault;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens again on the same port after `close`. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Makes a new version of the transit key, as `vault write -f transit/keys/<name>/rotate` does. */
  rotate(): void {
    this.versions.push(randomBytes(32));
  }

  countRequests(operation: string): number {
    return this.requests.filter(({ path }) => path.includes(operation)).length;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await text(request)) || '{}') as { batch_input?: Item[] };
    const path = request.url ?? '';
    const namespace = request.headers['x-vault-namespace'] as string | undefined;
    this.requests.push({ path, items: body.batch_input?.length ?? 0, namespace });
    await delay(this.delayMs);
    const token = this.tokens.get(String(request.headers['x-vault-token']));
    const { status, body: json = {}, headers = {} } = this.decide(path, token, body.batch_input ?? []);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
  }

  private decide(path: string, token: Token | undefined, items: readonly Item[]): Answer {
    const failure = this.failures.shift();
    if (failure !== undefined)
      return { status: failure, body: { errors: ['failed'] }, headers: { 'retry-after': '0' } };
    if (this.isSealed) return { status: 503, body: { errors: ['Vault is sealed'] } };
    if (token === undefined) return { status: 403, body: { errors: ['permission denied'] } };
    if (path === '/v1/auth/token/lookup-self')
      return {
        status: 200,
        body: { data: { ttl: token.ttl, creation_ttl: token.creationTtl, renewable: token.renewable } },
      };
    if (path === '/v1/auth/token/renew-self') return this.renew(token);
    if (path === '/v1/transit/encrypt/care-scheduling')
      return { status: 200, body: { data: { batch_results: items.map((item) => this.encrypt(item)) } } };
    if (path === '/v1/transit/decrypt/care-scheduling') {
      const results = items.map((item) => this.decrypt(item));
      const status = results.some(({ error }) => error !== undefined) ? 400 : 200;
      return { status, body: { data: { batch_results: results } } };
    }
    return { status: 404, body: { errors: [] } };
  }

  private renew(token: Token): Answer {
    if (!token.renewable) return { status: 400, body: { errors: ['lease is not renewable'] } };
    token.ttl = Math.min(token.creationTtl, this.maxTtl);
    return { status: 200, body: { auth: { lease_duration: token.ttl, renewable: true } } };
  }

  private encrypt({ plaintext = '', associated_data: associated = '' }: Item): object {
    this.plaintexts.add(plaintext);
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.versions.at(-1)!, iv);
    cipher.setAAD(Buffer.from(associated, 'base64'));
    const bytes = [iv, cipher.update(Buffer.from(plaintext, 'base64')), cipher.final(), cipher.getAuthTag()];
    const version = this.versions.length;
    return { ciphertext: `vault:v${version}:${Buffer.concat(bytes).toString('base64')}`, key_version: version };
  }

  private decrypt({ ciphertext = '', associated_data: associated = '' }: Item): { plaintext: string; error?: string } {
    const [, version, base64] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? [];
    const key = this.versions[Number(version) - 1];
    if (key === undefined || base64 === undefined) return { plaintext: '', error: 'invalid ciphertext' };
    if (Number(version) < this.minimumVersion)
      return { plaintext: '', error: 'ciphertext or signature version is disallowed by policy (too old)' };
    const bytes = Buffer.from(base64, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(associated, 'base64'));
    decipher.setAuthTag(bytes.subarray(-16));
    try {
      const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('base64');
      this.plaintexts.add(plain);
      return { plaintext: plain };
    } catch {
      return { plaintext: '', error: 'cipher: message authentication failed' };
    }
  }
}
