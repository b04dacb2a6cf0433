import { sql } from 'kysely';
import { MOVED_TABLES } from '../../src/cli/move/moved-tables.js';
import { MovingClinic } from '../support/operations/moving-clinic.js';

/* A move that is cancelled: the old installation opens the Clinic again, and the new one deletes what it has imported. */

let moving: MovingClinic;
beforeAll(async () => {
  moving = await MovingClinic.start();
});
afterAll(() => moving.stop());

/** Counts the rows that the new installation has of the Clinic, apart from entries of the installation itself. */
async function countArrived(): Promise<number> {
  let total = 0;
  for (const [table, rowsOf] of Object.entries(MOVED_TABLES)) {
    const condition = sql.raw(rowsOf(moving.tenant.fixture.clinicId));
    const [row] = await moving.target.queryRows(
      sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)} where ${condition}`,
    );
    total += row!.count;
  }
  return total;
}

it('a cancelled move opens the Clinic where it was, and leaves no row in the other installation', async () => {
  expect((await moving.exportTo('first')).status).toBe(0);
  expect((await moving.importFrom('first')).status).toBe(0);
  expect(await countArrived()).toBeGreaterThan(50);
  expect((await moving.write(moving.old)).map(([status]) => status)).toEqual([409, 409, 409, 409]);

  expect(await moving.export('--cancel')).toMatchObject({ status: 0, stderr: '' });
  expect(await moving.onArrival('--discard')).toMatchObject({ status: 0, stderr: '' });
  expect(await countArrived()).toBe(0);
  expect((await moving.onArrival('--discard')).stderr).toMatch(/^Clinic \d+ does not wait to be opened\.\n$/);
  expect((await moving.write(moving.old)).map(([status]) => status)).toEqual([201, 201, 200, 200]);
  expect(await moving.old.deliverDueReminders()).toBe(2);
});

it('the receipt of a cancelled move confirms no other one, and the Clinic can move again', async () => {
  const again = await moving.exportTo('second');
  expect([again.status, again.stderr]).toEqual([0, '']);
  const stale = await moving.importFrom('first');
  expect(stale.status).toBe(0);
  const receipt = /--confirm ([0-9a-f]+)/.exec(stale.stdout)![1]!;
  expect((await moving.export('--confirm', receipt)).stderr).toMatch(
    /^The receipt does not belong to the last export /,
  );
  expect((await moving.onArrival('--discard')).status).toBe(0);
  const imported = await moving.importFrom('second');
  expect([imported.status, imported.stderr]).toEqual([0, '']);
  const confirmed = await moving.export('--confirm', /--confirm ([0-9a-f]+)/.exec(imported.stdout)![1]!);
  const opened = await moving.onArrival('--open', /--open ([0-9a-f]+)/.exec(confirmed.stdout)![1]!);
  expect([opened.status, opened.stderr]).toEqual([0, '']);
  expect((await moving.write(moving.target)).map(([status]) => status)).toEqual([201, 201, 200, 200]);
});
