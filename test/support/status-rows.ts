import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLIC, type Role } from '../../src/shared/access/index.js';
import type { StatusRows } from './status-row.js';

/*
 * The expected statuses of all operations, collected from test/<module>/status-rows.ts. status-table.e2e-spec.ts
 * derives the other cases: 401 without a token, 403 for another role, and the same 404 for records that belong to
 * another Clinic or a colleague or do not exist.
 */

type StatusRowsFile = { rows: StatusRows; references?: Readonly<Record<string, number>> };

const testFolder = join(import.meta.dirname, '..');
const modules = readdirSync(testFolder).filter(
  (name) => name !== 'support' && existsSync(join(testFolder, name, 'status-rows.ts')),
);
const files = await Promise.all(
  modules.map(async (name) => (await import(`../${name}/status-rows.js`)) as StatusRowsFile),
);

export const STATUS_TABLE: StatusRows = Object.assign({}, ...files.map(({ rows }) => rows));

/**
 * Fields that refer to a record, and the response status if this record belongs to another Clinic or does not exist.
 */
export const REFERENCES: Readonly<Record<string, number>> = Object.assign(
  {},
  ...files.map(({ references }) => references),
);

/** Whether an operation belongs to the specification. Such operations ignore unknown fields and parameters. */
export const isLenient = (title: string): boolean =>
  ['POST /gateway/profile/clinic/design-plan', 'POST /gateway/profile/caregiver/session'].includes(title);

/** Whether an operation ignores unknown query parameters. Those of the specification and public links do. */
export const ignoresUnknownQuery = (title: string): boolean =>
  isLenient(title) || /^\w+ \/(calendar|reminder\/opt-out)\//.test(title);

/** Returns the role that may call the operations of a path. access.e2e-spec.ts tests the role of each operation. */
export const roleOf = (path: string): Role | typeof PUBLIC => {
  if (path.startsWith('/gateway/admin/')) return 'ADMIN';
  if (path.startsWith('/gateway/profile/caregiver/')) return 'CARE_PROVIDER';
  if (path.startsWith('/gateway/profile/client/')) return 'CLIENT';
  return path.startsWith('/gateway/profile/clinic/') || path.startsWith('/design-plan/') ? 'CLINIC' : PUBLIC;
};
