import { Logger } from '@nestjs/common';
import { mapConcurrently, streamBatches } from './concurrency.js';
import { toOwnerKey, type KeyOwner } from './key-owner.js';
import { isWrapped, type KeyStore } from './store/key-store.js';
import { UnusableKeyError, type KeyWrapper, type OwnedKey, type OwnedWrappedKey } from './wrapping/key-wrapper.js';

/** Progress of a rotation: the numbers of keys that were up to date (`done`), wrapped again, and not unwrappable. */
export type RotationProgress = { done: number; rewrapped: number; failed: number };

/** Number of keys that are wrapped in one batch. */
const BATCH_SIZE = 500;

/**
 * Wraps all keys of a store again that are not wrapped in the current way: because another key of the ring or a new
 * version of the transit key is active, or because the keys move between the ring and Vault. Can be repeated after a
 * failure.
 *
 * @throws WrappingUnavailableError
 */
export async function rotateKeys(
  wrapper: KeyWrapper,
  store: KeyStore,
  report: (progress: RotationProgress) => void,
): Promise<RotationProgress> {
  const progress: RotationProgress = { done: 0, rewrapped: 0, failed: 0 };
  const currentPrefix = await wrapper.readCurrentPrefix();
  for await (const owners of streamBatches(store.list(), BATCH_SIZE)) {
    const outdated = await readOutdated(store, owners, currentPrefix);
    const { unwrapped, failed } = await unwrapAll(wrapper, outdated);
    const wrapped = unwrapped.length === 0 ? [] : await wrapper.wrap(unwrapped);
    for (const { dataKey } of unwrapped) dataKey.fill(0);
    await mapConcurrently(unwrapped, ({ owner }, index) => store.replace(owner, wrapped[index]!));
    progress.failed += failed;
    progress.rewrapped += unwrapped.length;
    progress.done += owners.length - outdated.length;
    report(progress);
  }
  return progress;
}

async function readOutdated(
  store: KeyStore,
  owners: readonly KeyOwner[],
  currentPrefix: string,
): Promise<OwnedWrappedKey[]> {
  const stored = await store.readAll(owners);
  return owners.flatMap((owner, index) => {
    const wrapped = stored[index]!;
    const isOutdated = isWrapped(wrapped) && !wrapped.startsWith(currentPrefix);
    return isOutdated ? [{ owner, wrapped }] : [];
  });
}

/** @throws WrappingUnavailableError */
async function unwrapAll(
  wrapper: KeyWrapper,
  keys: readonly OwnedWrappedKey[],
): Promise<{ unwrapped: OwnedKey[]; failed: number }> {
  const logger = new Logger('Encryption');
  const unwrapped: OwnedKey[] = [];
  const results = keys.length === 0 ? [] : await wrapper.unwrap(keys);
  for (const [index, result] of results.entries()) {
    const { owner } = keys[index]!;
    if (Buffer.isBuffer(result)) unwrapped.push({ owner, dataKey: result });
    else if (result instanceof UnusableKeyError)
      logger.error({ owner: toOwnerKey(owner), reason: result.message }, 'data key cannot be rotated');
    else throw result;
  }
  return { unwrapped, failed: keys.length - unwrapped.length };
}
