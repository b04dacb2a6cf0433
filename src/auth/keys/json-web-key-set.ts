import { ServiceUnavailableException } from '@nestjs/common';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwksCache,
  type ExportedJWKSCache,
  type FetchImplementation,
  type JWKSCacheInput,
  type JWSHeaderParameters,
  type RemoteJWKSet,
} from 'jose';
import { getSystemTimeMs } from '../../shared/time/index.js';
import { createRefusalError } from '../token/token-refusal.js';

/** Age at which the keys are fetched again, so that withdrawn keys are no longer accepted. */
const REFRESH_AFTER_MS = 600_000;
/** Age at which cached keys are no longer used, even if the key set cannot be fetched. */
const MAX_AGE_MS = 86_400_000;
/** Minimum time between two fetches, however many tokens with unknown keys arrive. */
const COOLDOWN_MS = 30_000;
/** Minimum time between two fetches until the first one succeeds. */
const FIRST_COOLDOWN_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;

/** The key set (JWKS) of an identity provider, fetched on demand, cached, and refreshed to follow key rotation. */
export class JsonWebKeySet {
  private readonly cached: Partial<ExportedJWKSCache> = {};
  private readonly remote: RemoteJWKSet;
  private lastFetchAt = Number.NEGATIVE_INFINITY;

  constructor(url: string) {
    this.remote = createRemoteJWKSet(new URL(url), {
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: MAX_AGE_MS,
      timeoutDuration: TIMEOUT_MS,
      [jwksCache]: this.cached as JWKSCacheInput,
      [customFetch]: (...request) => this.fetch(...request),
    });
  }

  /** Time of the last successful fetch in milliseconds since 1970, or undefined if the keys must be fetched again. */
  get version(): number | undefined {
    const { uat } = this.cached;
    return uat !== undefined && isYoungerThan(REFRESH_AFTER_MS, uat) ? uat : undefined;
  }

  /**
   * Finds the key for a token's algorithm and key ID.
   *
   * @throws UnauthenticatedError if the key set contains no matching key or several
   * @throws ServiceUnavailableException if the key set is unavailable
   */
  readonly findKey = async (header: JWSHeaderParameters) => {
    // Only one request waits for the refresh. All others, and this one if the refresh fails, use the cached keys.
    if (this.version === undefined && this.cached.uat !== undefined && !this.isCoolingDown) {
      await this.remote.reload().catch(() => undefined);
    }
    return this.remote(header).catch(throwKeyError);
  };

  private get isCoolingDown(): boolean {
    return isYoungerThan(this.cached.uat === undefined ? FIRST_COOLDOWN_MS : COOLDOWN_MS, this.lastFetchAt);
  }

  private async fetch(...[url, options]: Parameters<FetchImplementation>): Promise<Response> {
    if (this.isCoolingDown) throw new Error('The last fetch of the key set was less than the cooldown ago');
    this.lastFetchAt = getSystemTimeMs();
    const response = await fetch(url, options);
    return new Response(await readBounded(response), { status: response.status });
  }
}

/** A time in the future counts as old: the machine clock was ahead when it was read, and has been corrected since. */
function isYoungerThan(maxAgeMs: number, time: number): boolean {
  const age = getSystemTimeMs() - time;
  return age >= 0 && age < maxAgeMs;
}

/**
 * Reads a body of at most `MAX_BYTES` bytes.
 *
 * @throws RangeError if the body is larger
 */
async function readBounded(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new RangeError('The key set is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function throwKeyError(error: unknown): never {
  const isRefusal = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported].some(
    (kind) => error instanceof kind,
  );
  throw isRefusal ? createRefusalError('UNKNOWN_KEY') : new ServiceUnavailableException();
}
