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
import { machineTime } from '../../shared/time/index.js';
import { tokenRefused } from '../token/token-refusal.js';

/** Age at which the keys are fetched again, so that a withdrawn key is no longer accepted. */
const REFRESH_AFTER_MS = 600_000;
/** Age at which cached keys are no longer used, if the key set cannot be fetched. */
const MAX_AGE_MS = 86_400_000;
/** Minimum time between two fetches: tokens with unknown keys do not cause more. */
const COOLDOWN_MS = 30_000;
/** The same, until the first fetch succeeds. */
const FIRST_COOLDOWN_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;

/** The key set (JWKS) of an identity provider: fetched on demand, cached, and refreshed for key rotation. */
export class KeySet {
  private readonly cached: Partial<ExportedJWKSCache> = {};
  private readonly remote: RemoteJWKSet;
  private nextFetchAt = 0;

  constructor(url: string) {
    this.remote = createRemoteJWKSet(new URL(url), {
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: MAX_AGE_MS,
      timeoutDuration: TIMEOUT_MS,
      [jwksCache]: this.cached as JWKSCacheInput,
      [customFetch]: (...request) => this.fetch(...request),
    });
  }

  /** Time of the last fetch in milliseconds since 1970; undefined if the keys must be fetched again. */
  get version(): number | undefined {
    const { uat } = this.cached;
    return uat !== undefined && machineTime() < uat + REFRESH_AFTER_MS ? uat : undefined;
  }

  /**
   * Finds the key for the algorithm and key id of a token.
   *
   * @throws UnauthenticatedError if the key set has no such key, or several
   * @throws ServiceUnavailableException if the key set is not available
   */
  readonly findKey = async (header: JWSHeaderParameters) => {
    // One request waits for the refresh. Other requests use the cached keys, as does this one if the refresh fails.
    if (this.version === undefined && this.cached.uat !== undefined && machineTime() >= this.nextFetchAt) {
      await this.remote.reload().catch(() => undefined);
    }
    return this.remote(header).catch(throwKeyError);
  };

  private async fetch(...[url, options]: Parameters<FetchImplementation>): Promise<Response> {
    if (machineTime() < this.nextFetchAt)
      throw new Error('The last fetch of the key set was less than the cooldown ago');
    this.nextFetchAt = machineTime() + (this.cached.uat === undefined ? FIRST_COOLDOWN_MS : COOLDOWN_MS);
    const response = await fetch(url, options);
    return new Response(await readBounded(response), { status: response.status });
  }
}

/** Reads a body up to `MAX_BYTES`. @throws RangeError for a larger body */
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
  throw isRefusal ? tokenRefused('UNKNOWN_KEY') : new ServiceUnavailableException();
}
