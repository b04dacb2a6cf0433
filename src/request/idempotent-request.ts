import type { FastifyRequest } from 'fastify';
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { computeCallerDigest, type Principal } from '../shared/access/index.js';
import { InvalidRequestError } from '../shared/errors/index.js';
import type { CapturedResponse } from './captured-response.js';

const HEADER = 'idempotency-key';
const KEY_FORMAT = /^[\x20-\x7e]{1,255}$/;
/** Headers without which the same body means something else. */
const FINGERPRINTED_HEADERS = ['offset', 'if-match'] as const;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A request with an `Idempotency-Key`. All that is stored of it comes from the key, which is not stored: digests, and
 * the answer, sealed (AES-256-GCM). Answers hold data of Clients, and secrets that are kept nowhere else, so who reads
 * the table alone can read none.
 */
export class IdempotentRequest {
  readonly caller: string;
  /** The same for the same key of the same caller, and for no other. */
  readonly id: string;

  private constructor(
    private readonly key: string,
    principal: Principal,
    private readonly request: FastifyRequest,
  ) {
    this.caller = computeCallerDigest(principal);
    this.id = this.derive('id', this.caller).toString('hex');
  }

  /**
   * Of a POST with the header; of any other request undefined.
   *
   * @throws InvalidRequestError for a key that is none
   */
  static from(request: FastifyRequest, principal: Principal): IdempotentRequest | undefined {
    const [key, ...more] = request.raw.headersDistinct[HEADER] ?? [];
    if (request.method !== 'POST' || key === undefined) return undefined;
    if (more.length > 0 || !KEY_FORMAT.test(key)) {
      const detail = 'the header Idempotency-Key must be given once, with 1 to 255 printable ASCII characters';
      throw new InvalidRequestError([{ pointer: `/${HEADER}`, detail }]);
    }
    return new IdempotentRequest(key, principal, request);
  }

  /** What is asked, once the body has been read. White space between the values of JSON makes no other request. */
  computeFingerprint(): string {
    const { method, url, headers, body } = this.request;
    const head = JSON.stringify([method, url, ...FINGERPRINTED_HEADERS.map((name) => headers[name])]);
    return this.derive('fingerprint', head, body instanceof Buffer ? body : JSON.stringify(body ?? null)).toString(
      'hex',
    );
  }

  encrypt(answer: CapturedResponse): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.derive('seal', this.id), iv, { authTagLength: TAG_BYTES });
    const sealed = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  decrypt(sealed: Uint8Array): CapturedResponse {
    const [iv, rest] = [sealed.subarray(0, IV_BYTES), sealed.subarray(IV_BYTES)];
    const decipher = createDecipheriv(CIPHER, this.derive('seal', this.id), iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(rest.subarray(0, TAG_BYTES));
    const opened = Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()]);
    return JSON.parse(opened.toString()) as CapturedResponse;
  }

  private derive(purpose: string, ...parts: (string | Buffer)[]): Buffer {
    const hmac = createHmac('sha256', this.key).update(purpose);
    for (const part of parts) hmac.update('\n').update(part);
    return hmac.digest();
  }
}
