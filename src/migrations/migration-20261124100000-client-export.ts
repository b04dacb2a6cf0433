import { Migration } from '@mikro-orm/migrations';
import { createRecordNames, findAllAuditEntries } from './client-export-functions.js';
import { createPreparedIndexes } from './prepared-index.js';
import { DATABASE_ROLES } from './tenant-table.js';

const { service } = DATABASE_ROLES;

/**
 * Prepares the audit trail for the export of a Client: an index of the requests of Clients, and a function that finds the
 * entries about one Client.
 */
export class Migration20261124100000ClientExport extends Migration {
  override up(): void {
    for (const statement of createPreparedIndexes('migration-20261124100000-client-export')) this.addSql(statement);
    this.searchNamesOfManyRecords();
    this.addSql(createRecordNames());
    this.addSql(findAllAuditEntries());
    for (const signature of [RECORD_NAMES, FIND]) this.addSql(`revoke all on function ${signature} from public`);
    this.addSql(`grant execute on function ${FIND} to ${service}`);
  }

  /**
   * Without the list of pending entries, which a search compares with each of its names: for a Client with thousands of
   * records that would take minutes.
   */
  private searchNamesOfManyRecords(): void {
    this.addSql(`alter index audit_entry_records_index set (fastupdate = off)`);
    this.addSql(`select gin_clean_pending_list('audit_entry_records_index')`);
  }

  override down(): void {
    this.addSql(`alter index audit_entry_records_index reset (fastupdate)`);
    this.addSql(`drop function ${FIND}`);
    this.addSql(`drop function ${RECORD_NAMES}`);
    this.addSql(`drop index audit_entry_of_client`);
  }
}

const RECORD_NAMES = 'client_record_names(bigint)';
const FIND = 'client_audit_entries(bigint, timestamptz, bigint, timestamptz, bigint, integer)';
