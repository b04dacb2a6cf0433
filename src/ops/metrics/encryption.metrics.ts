import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { FieldEncryption } from '../../shared/persistence/index.js';

/** Counts texts that could not be decrypted. */
@Injectable()
export class EncryptionMetrics {
  constructor(registry: Registry, encryption: FieldEncryption) {
    const unreadable = new Counter({
      name: 'scheduling_encryption_unreadable_total',
      help: 'Encrypted texts that could not be read: their key is missing, or they were changed in the database.',
      labelNames: ['table', 'column'],
      registers: [registry],
    });
    encryption.onUnreadable = (table, column) => unreadable.inc({ table, column });
  }
}
