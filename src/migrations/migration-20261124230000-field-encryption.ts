import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

const { login, service } = DATABASE_ROLES;
const PEOPLE = ['client', 'care_provider'];
const SEQUENCES = ['client_id_seq', 'care_provider_id_seq', 'session_id_seq'];

/**
 * Prepares encrypted columns (ADR 17): a digest with which an encrypted external ID is found and kept unique, sequences
 * from which the service takes IDs before it inserts, and the ID of the key store whose keys the database needs.
 */
export class Migration20261124230000FieldEncryption extends Migration {
  override up(): void {
    for (const table of PEOPLE) {
      this.addSql(`alter table ${table} add column external_id_digest text`);
      this.addSql(`
        create unique index ${table}_external_id_digest on ${table} (clinic_id, external_id_digest)
        where external_id_digest is not null`);
    }
    for (const sequence of SEQUENCES) this.addSql(`grant usage on sequence ${sequence} to ${service}`);
    this.addSql(`
      create table encryption_key_store (
        id uuid not null,
        is_only boolean primary key default true check (is_only),
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`grant select, insert on encryption_key_store to ${login}`);
  }

  override down(): void {
    this.addSql(`drop table encryption_key_store`);
    for (const sequence of SEQUENCES) this.addSql(`revoke usage on sequence ${sequence} from ${service}`);
    for (const table of PEOPLE) this.addSql(`alter table ${table} drop column external_id_digest`);
  }
}
