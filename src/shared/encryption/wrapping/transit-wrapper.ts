import { z } from 'zod';
import { splitIntoBatches } from '../../batches.js';
import type { VaultEnvironment } from '../../config/env.js';
import { DATA_KEY_BYTES, INSTALLATION_KEY_OWNER, toOwnerKey, type KeyOwner } from '../key-owner.js';
import {
  KeyWrapper,
  UnusableKeyError,
  WrappingUnavailableError,
  type OwnedKey,
  type OwnedWrappedKey,
  type UnwrappedKey,
  type WrappedKey,
  type WrappingServerState,
} from './key-wrapper.js';
import { VaultClient, type VaultAnswer } from './vault-client.js';
import { VaultTokenRenewal } from './vault-token-renewal.js';

const FORM = '2';
/** Maximum number of data keys in one request. */
const MAX_BATCH = 500;
/** `vault:v<version>:<base64>`; OpenBao uses the same prefix. */
const CIPHERTEXT = /^vault:v\d+:[A-Za-z0-9+/=]+$/;

/** For each item, Vault returns either the result or an error. */
const batchSchema = z.object({
  data: z.object({
    batch_results: z.array(
      z.object({ ciphertext: z.string().optional(), plaintext: z.string().optional(), error: z.string().optional() }),
    ),
  }),
});
type BatchItem = z.output<typeof batchSchema>['data']['batch_results'][number];

/**
 * Wraps data keys with a key of the transit engine of HashiCorp Vault or OpenBao; that key never leaves the server.
 * Each data key is bound to its owner as associated data, so the transit key must be of an AEAD type, such as the
 * default.
 */
export class TransitWrapper extends KeyWrapper {
  private readonly renewal: VaultTokenRenewal;

  constructor(
    private readonly settings: Pick<VaultEnvironment, 'mount' | 'key'>,
    private readonly client: VaultClient,
  ) {
    super();
    this.renewal = new VaultTokenRenewal(client);
  }

  override async wrap(keys: readonly OwnedKey[]): Promise<WrappedKey[]> {
    const { key } = this.settings;
    const items = keys.map(({ owner, dataKey }) => ({ plaintext: dataKey.toString('base64'), ...toAssociated(owner) }));
    const wrapped: WrappedKey[] = [];
    for (const batch of splitIntoBatches(items, MAX_BATCH)) {
      for (const { ciphertext } of await this.send('encrypt', key, batch)) {
        if (ciphertext === undefined || !CIPHERTEXT.test(ciphertext)) throw unexpectedAnswer();
        wrapped.push(`${FORM} ${key} ${ciphertext}`);
      }
    }
    return wrapped;
  }

  override async unwrap(keys: readonly OwnedWrappedKey[]): Promise<UnwrappedKey[]> {
    const results: UnwrappedKey[] = [];
    const parsed = keys.map((key, index) => ({ ...key, index, ...parse(key.wrapped) }));
    for (const { owner, index, name } of parsed) {
      if (name === undefined)
        results[index] = new UnusableKeyError(`The data key of ${toOwnerKey(owner)} has an unknown form`);
    }
    const known = parsed.filter(({ name }) => name !== undefined);
    for (const [name, own] of Map.groupBy(known, (key) => key.name!)) {
      for (const batch of splitIntoBatches(own, MAX_BATCH)) {
        const unwrapped = await this.unwrapBatch(name, batch);
        for (const [position, { index }] of batch.entries()) results[index] = unwrapped[position]!;
      }
    }
    return results;
  }

  override recognises(wrapped: WrappedKey): boolean {
    return wrapped.startsWith(`${FORM} `);
  }

  /**
   * Wraps a probe key to find the newest version: a token that may encrypt is not always allowed to read the transit
   * key.
   */
  override async readCurrentPrefix(): Promise<string> {
    const [probe] = await this.wrap([{ owner: INSTALLATION_KEY_OWNER, dataKey: Buffer.alloc(DATA_KEY_BYTES) }]);
    return probe!.slice(0, probe!.lastIndexOf(':') + 1);
  }

  override get server(): WrappingServerState {
    const { expiry: tokenExpiry, renewals } = this.renewal;
    return { fault: this.client.fault, tokenExpiry, renewals };
  }

  override maintain(): Promise<void> {
    return this.renewal.renewIfDue();
  }

  private async unwrapBatch(
    name: string,
    batch: readonly { owner: KeyOwner; ciphertext: string | undefined }[],
  ): Promise<UnwrappedKey[]> {
    try {
      const items = batch.map(({ owner, ciphertext }) => ({ ciphertext, ...toAssociated(owner) }));
      const results = await this.send('decrypt', name, items);
      return results.map((result, index) => toDataKey(batch[index]!.owner, result));
    } catch (error) {
      if (error instanceof WrappingUnavailableError) return batch.map(() => error);
      throw error;
    }
  }

  private async send(operation: 'encrypt' | 'decrypt', key: string, items: readonly object[]): Promise<BatchItem[]> {
    const path = `${this.settings.mount}/${operation}/${encodeURIComponent(key)}`;
    const isAnswer = operation === 'decrypt' ? isBatchOfErrors : undefined;
    const answer = await this.client.call('POST', path, { batch_input: items }, isAnswer);
    const parsed = batchSchema.safeParse(answer.body);
    if (!parsed.success || parsed.data.data.batch_results.length !== items.length) throw unexpectedAnswer();
    return parsed.data.data.batch_results;
  }
}

/** If Vault cannot decrypt items of a batch, it returns the status 400 and an error for each of these items. */
function isBatchOfErrors({ status, body }: VaultAnswer): boolean {
  return status === 400 && batchSchema.safeParse(body).success;
}

function toDataKey(owner: KeyOwner, { plaintext = '', error = '' }: BatchItem): UnwrappedKey {
  const dataKey = Buffer.from(plaintext, 'base64');
  if (error === '' && dataKey.length === DATA_KEY_BYTES) return dataKey;
  return new UnusableKeyError(
    `Vault cannot decrypt the data key of ${toOwnerKey(owner)}: it was changed, belongs to another record, or its version is not allowed`,
  );
}

function toAssociated(owner: KeyOwner): { associated_data: string } {
  return { associated_data: Buffer.from(`data key of ${toOwnerKey(owner)}`).toString('base64') };
}

function parse(wrapped: WrappedKey): { name: string; ciphertext: string } | { name: undefined; ciphertext: undefined } {
  const [form, name, ciphertext, ...rest] = wrapped.trim().split(' ');
  const isValid = form === FORM && name !== undefined && CIPHERTEXT.test(ciphertext ?? '') && rest.length === 0;
  return isValid ? { name, ciphertext: ciphertext! } : { name: undefined, ciphertext: undefined };
}

function unexpectedAnswer(): WrappingUnavailableError {
  return new WrappingUnavailableError('vault-answer', 'Vault has sent an answer that is not one of the transit engine');
}
