import { sql } from 'kysely';
import { commandVariablesOf, MovingClinic, runCommandOf } from '../support/operations/moving-clinic.js';

/*
 * A Clinic with rows in clear text moves to an installation that encrypts: the old one had no keys, or ENCRYPTION=off.
 */

let moving: MovingClinic;
beforeAll(async () => {
  moving = await MovingClinic.start();
});
afterAll(() => moving.stop());

const readCode = (output: string, option: string) => new RegExp(`--${option} ([0-9a-f]{32})\n`).exec(output)![1]!;

it('the import says that rows are in clear text, until they are encrypted', async () => {
  // With TEST_ENCRYPTION=off, no row is encrypted.
  if (commandVariablesOf(moving.target)['ENCRYPTION_KEYS'] === undefined) return;
  const { clinicId } = moving.tenant.fixture;
  await moving.old.queryRows(sql`
    insert into care_provider (clinic_id, name, active, created_at) values (${clinicId}, 'In clear text', true, now())`);
  expect(await moving.exportTo('moved')).toMatchObject({ status: 0, stderr: '' });
  const hint =
    /\n(\d+) row\(s\) are in clear text, as they were there\. Once the Clinic is open: npm run encrypt-rows\n$/;
  const [, plain] = hint.exec((await moving.importFrom('moved')).stdout)!;
  // The people of the test are in clear text as well.
  expect(Number(plain)).toBeGreaterThan(1);
  // As after an import whose output was lost.
  const { stdout } = await moving.importFrom('moved');
  expect(hint.exec(stdout)![1]).toBe(plain);

  const confirmed = await moving.export('--confirm', readCode(stdout, 'confirm'));
  expect(await moving.onArrival('--open', readCode(confirmed.stdout, 'open'))).toMatchObject({ status: 0 });
  expect((await runCommandOf(moving.target, 'encrypt-rows')).stdout).toBe(`${plain} row(s) encrypted\n`);
  expect((await moving.importFrom('moved')).stderr).toBe(`Clinic ${clinicId} exists here.\n`);
});
