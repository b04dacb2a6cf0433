import { MikroORM } from '@mikro-orm/core';
import { decryptCallers } from '../../../src/audit/index.js';
import type { TestApp } from './test-app.js';

type Row = { actor_role: string; actor_id: number | null; request_id: string; address: string };

/** Decrypts the callers in rows of `audit_entry`. */
export async function decryptAuditRows<Entry extends Row>(app: TestApp, rows: readonly Entry[]): Promise<Entry[]> {
  const entries = rows.map((row) => ({
    actorRole: row.actor_role as never,
    actorId: row.actor_id,
    clinicId: (row as { clinic_id?: number | null }).clinic_id ?? null,
    actorSubject: (row as { actor_subject?: string | null }).actor_subject ?? null,
    requestId: row.request_id,
    records: (row as { records?: string[] }).records ?? [],
    address: row.address,
  }));
  const callers = await decryptCallers(app.nest.get(MikroORM).em, entries);
  return rows.map((row, index) => {
    const { actorSubject, address } = callers[index]!;
    return { ...row, actor_subject: actorSubject, address };
  });
}
