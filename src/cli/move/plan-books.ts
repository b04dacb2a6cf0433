import type { Client } from 'pg';
import { collectBookIds, type PlanWeek } from '../../design-plan/index.js';
import type { DataKeys } from '../../shared/encryption/index.js';
import { FieldEncryption, isUnreadableText } from '../../shared/persistence/index.js';

/** Number of rows that are read together. The weeks of one of them can have a megabyte. */
const BATCH_SIZE = 20;
/** The tables with the weeks of plans, and the SQL expression of the key to which their texts are bound. */
const PLAN_TABLES = { design_plan: 'id', design_plan_revision: `design_plan_id || '.' || revision` };

/**
 * Finds the Books to which the plans of a Clinic and their revisions refer. Their weeks may be encrypted, so the
 * database cannot search them.
 */
export async function findPlanBookIds(
  client: Client,
  clinicId: number,
  keys: DataKeys | undefined,
): Promise<ReadonlySet<number>> {
  const encryption = new FieldEncryption(keys);
  const owner = { kind: 'CLINIC', id: clinicId } as const;
  const ids = new Set<number>();
  for (const [table, key] of Object.entries(PLAN_TABLES)) {
    await client.query(`
      declare plans no scroll cursor for
        select (${key})::text as row, weeks #>> '{}' as text from ${table} where clinic_id = ${clinicId}`);
    for (let isLast = false; !isLast;) {
      const { rows } = await client.query<{ row: string; text: string }>(`fetch ${BATCH_SIZE} from plans`);
      const placed = rows.map(({ row, text }) => ({ text, owner, place: { table, column: 'weeks', row } }));
      for (const weeks of await encryption.decryptTexts(placed)) {
        // A plan that cannot be decrypted shows no Books in any installation.
        if (isUnreadableText(weeks)) continue;
        for (const id of collectBookIds(JSON.parse(weeks!) as PlanWeek[])) ids.add(id);
      }
      isLast = rows.length < BATCH_SIZE;
    }
    await client.query('close plans');
  }
  return ids;
}
