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

/** After this long the keys are looked for again, so that one that was withdrawn does not hold any more. */
const REFRESH_AFTER_MS = 600_000;
/** As long as they cannot be fetched, the keys that are known hold; after a day, none does. */
const MAX_AGE_MS = 86_400_000;
/** An identity provider is not asked more often than this, whatever tokens claim and whatever it answers. */
const COOLDOWN_MS = 30_000;
/** While no keys are known at all. */
const FIRST_COOLDOWN_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;

/** The key set of an identity provider: fetched when needed, kept, rotated. */
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

  /** When the keys were fetched; undefined while they are due to be looked for again. */
  get version(): number | undefined {
    const { uat } = this.cached;
    return uat !== undefined && machineTime() < uat + REFRESH_AFTER_MS ? uat : undefined;
  }

  /**
   * The key of a token, by its algorithm and its key id.
   *
   * @throws UnauthenticatedError when the key set has none for it, or more than one
   * @throws ServiceUnavailableException when there is no key set: that is not the fault of the token
   */
  readonly findKey = async (header: JWSHeaderParameters) => {
    // One caller waits for it; the others, and this one when it fails, go on with the keys that are known.
    if (this.version === undefined && this.cached.uat !== undefined && machineTime() >= this.nextFetchAt) {
      await this.remote.reload().catch(() => undefined);
    }
    return this.remote(header).catch(throwKeyError);
  };

  private async fetch(...[url, options]: Parameters<FetchImplementation>): Promise<Response> {
    if (machineTime() < this.nextFetchAt) throw new Error('The key set was asked for a moment ago');
    this.nextFetchAt = machineTime() + (this.cached.uat === undefined ? FIRST_COOLDOWN_MS : COOLDOWN_MS);
    const response = await fetch(url, options);
    return new Response(await readBounded(response), { status: response.status });
  }
}

/** @throws RangeError for a body that no key set has, before it fills the memory */
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
