import type { FastifyRequest } from 'fastify';
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { computeCallerDigest, type Principal } from '../shared/access/index.js';
import { InvalidRequestError } from '../shared/errors/index.js';
import { readPreferences } from '../shared/http/index.js';
import type { CapturedResponse } from './captured-response.js';

const HEADER = 'idempotency-key';
const KEY_FORMAT = /^[\x20-\x7e]{1,255}$/;
/** Request headers that change the meaning of a body. */
const FINGERPRINTED_HEADERS = ['offset', 'if-match'] as const;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A request with an `Idempotency-Key`. The table contains HMACs computed with the key, and the response encrypted with
 * a key derived from it (AES-256-GCM). The idempotency key itself is not stored, so the personal data and secrets in
 * responses cannot be read from the table alone.
 */
export class IdempotentRequest {
  readonly caller: string;
  /** Identifies the idempotency key of this caller; other callers may use the same key. */
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
   * Reads the header of a POST request. Returns undefined if the header is absent, and for other methods.
   *
   * @throws InvalidRequestError if the key is malformed or repeated
   */
  static from(request: FastifyRequest, principal: Principal): IdempotentRequest | undefined {
    const [key, ...repeated] = request.raw.headersDistinct[HEADER] ?? [];
    if (request.method !== 'POST' || key === undefined) return undefined;
    if (repeated.length > 0 || !KEY_FORMAT.test(key)) {
      const detail = 'the header Idempotency-Key must occur once, with 1 to 255 printable ASCII characters';
      throw new InvalidRequestError([{ pointer: `/${HEADER}`, detail }]);
    }
    return new IdempotentRequest(key, principal, request);
  }

  /** Computes the HMAC of the request with its parsed body, so whitespace in JSON makes no difference. */
  computeFingerprint(): string {
    const { method, url, headers, body } = this.request;
    const preferences = Object.entries(readPreferences(this.request));
    // A request without preferences must have the same fingerprint as in releases that did not support preferences.
    const head = JSON.stringify([method, url, ...FINGERPRINTED_HEADERS.map((name) => headers[name]), ...preferences]);
    return this.derive('fingerprint', head, body instanceof Buffer ? body : JSON.stringify(body ?? null)).toString(
      'hex',
    );
  }

  encrypt(response: CapturedResponse): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.derive('seal', this.id), iv, { authTagLength: TAG_BYTES });
    const encrypted = Buffer.concat([cipher.update(JSON.stringify(response)), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
  }

  decrypt(encrypted: Uint8Array): CapturedResponse {
    const [iv, rest] = [encrypted.subarray(0, IV_BYTES), encrypted.subarray(IV_BYTES)];
    const decipher = createDecipheriv(CIPHER, this.derive('seal', this.id), iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(rest.subarray(0, TAG_BYTES));
    const decrypted = Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()]);
    return JSON.parse(decrypted.toString()) as CapturedResponse;
  }

  /** Computes an HMAC with the key. The `purpose` ensures that values derived for different uses differ. */
  private derive(purpose: string, ...parts: (string | Buffer)[]): Buffer {
    const hmac = createHmac('sha256', this.key).update(purpose);
    for (const part of parts) hmac.update('\n').update(part);
    return hmac.digest();
  }
}
