import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { FieldEncryption } from '../../shared/persistence/index.js';

/** Counts texts that could not be decrypted, and reports the state of Vault. */
@Injectable()
export class EncryptionMetrics {
  constructor(
    private readonly registry: Registry,
    private readonly encryption: FieldEncryption,
  ) {
    const unreadable = new Counter({
      name: 'scheduling_encryption_unreadable_total',
      help: 'Encrypted texts that could not be read: their key is missing, or they were changed in the database.',
      registers: [registry],
    });
    encryption.onUnreadable = () => unreadable.inc();
    if (encryption.keys?.server !== undefined) this.observeServer();
  }

  private observeServer(): void {
    const { registry, encryption } = this;
    const up: Gauge = new Gauge({
      name: 'scheduling_vault_up',
      help: 'Whether the last call of Vault has succeeded.',
      registers: [registry],
      collect: () => up.set(encryption.keys?.server?.fault === undefined ? 1 : 0),
    });
    const expiry: Gauge = new Gauge({
      name: 'scheduling_vault_token_expiry_timestamp_seconds',
      help: 'When the token of Vault expires. Absent if it does not expire.',
      registers: [registry],
      collect: () => {
        const seconds = encryption.keys?.server?.tokenExpiry;
        expiry.remove();
        if (seconds !== undefined) expiry.set(seconds);
      },
    });
    const renewals: Counter = new Counter({
      name: 'scheduling_vault_token_renewals_total',
      help: 'Renewals of the token of Vault, by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
      collect: () => {
        renewals.reset();
        for (const [outcome, count] of Object.entries(encryption.keys?.server?.renewals ?? {}))
          renewals.inc({ outcome }, count);
      },
    });
  }
}
