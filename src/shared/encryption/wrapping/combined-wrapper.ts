import { toOwnerKey } from '../key-owner.js';
import {
  KeyWrapper,
  UnusableKeyError,
  type OwnedKey,
  type OwnedWrappedKey,
  type UnwrappedKey,
  type WrappedKey,
  type WrappingServerState,
} from './key-wrapper.js';

/**
 * Wraps data keys with one wrapper, but also unwraps keys of other wrappers. This is needed while `npm run rotate-keys`
 * moves data keys from the key ring to Vault or back.
 */
export class CombinedWrapper extends KeyWrapper {
  private readonly wrappers: readonly KeyWrapper[];

  constructor(
    private readonly active: KeyWrapper,
    ...others: readonly KeyWrapper[]
  ) {
    super();
    this.wrappers = [active, ...others];
  }

  override wrap(keys: readonly OwnedKey[]): Promise<WrappedKey[]> {
    return this.active.wrap(keys);
  }

  override async unwrap(keys: readonly OwnedWrappedKey[]): Promise<UnwrappedKey[]> {
    const results = keys.map(
      ({ owner }): UnwrappedKey =>
        new UnusableKeyError(`The data key of ${toOwnerKey(owner)} has a form that is not configured`),
    );
    await Promise.all(
      this.wrappers.map(async (wrapper) => {
        const own = [...keys.entries()].filter(([, { wrapped }]) => wrapper.recognises(wrapped));
        if (own.length === 0) return;
        const unwrapped = await wrapper.unwrap(own.map(([, key]) => key));
        for (const [position, [index]] of own.entries()) results[index] = unwrapped[position]!;
      }),
    );
    return results;
  }

  override recognises(wrapped: WrappedKey): boolean {
    return this.wrappers.some((wrapper) => wrapper.recognises(wrapped));
  }

  override readCurrentPrefix(): Promise<string> {
    return this.active.readCurrentPrefix();
  }

  override get server(): WrappingServerState | undefined {
    return this.wrappers.map(({ server }) => server).find((server) => server !== undefined);
  }

  override async maintain(): Promise<void> {
    for (const wrapper of this.wrappers) await wrapper.maintain();
  }
}
