/** An index that is built before the migrations run, while the service writes. */
export type OnlineIndex = {
  /** The migration that uses the index. It builds the index itself if there is none. */
  usedBy: string;
  table: string;
  name: string;
  columns: string;
};

/** Indexes of large tables that a migration needs. Within its transaction, requests would wait until they are built. */
export const ONLINE_INDEXES: readonly OnlineIndex[] = [
  {
    usedBy: 'migration-20261124110300-audit-partitions',
    table: 'audit_entry',
    name: 'audit_entry_id_at',
    columns: 'id, at',
  },
];
