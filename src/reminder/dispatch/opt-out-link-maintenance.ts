import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { findRunningInstances } from '../../instance/index.js';
import { runForEachClinicGroup, runForEachClinicWithClaims, Scheduler } from '../../scheduler/index.js';
import { RELEASE } from '../../shared/config/release.js';
import {
  forkForActor,
  inClinicSql,
  inClinicGroupSql,
  type Actor,
  type ClinicGroup,
  type Orm,
} from '../../shared/persistence/index.js';

const JOB = 'opt-out-links-upkeep';
const EVERY_MINUTE = '20 * * * * *';
/** Maximum number of rows that one transaction changes. */
const BATCH_SIZE = 1_000;

/**
 * Deletes expired opt-out links. Also replaces the plain-text tokens that the previous release stored with preferences,
 * once no instance of that release is running. Their links continue to work, because `opt_out_link` contains the
 * hashes.
 */
@Injectable()
export class OptOutLinkMaintenance implements OnApplicationBootstrap {
  constructor(
    private readonly orm: MikroORM,
    private readonly scheduler: Scheduler,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduler.register({ name: JOB, cron: EVERY_MINUTE, run: (progress) => this.run(progress) });
  }

  /** @param progress called after each transaction */
  async run(progress: () => void): Promise<void> {
    await runForEachClinicGroup(this.orm.em, 'clean-up of opt-out links', (group) =>
      this.repeat({ role: 'MAINTENANCE' }, deleteExpired(group), progress),
    );
    const instances = await findRunningInstances(this.orm as Orm);
    if (instances.some(({ release }) => release !== RELEASE)) return;
    await runForEachClinicWithClaims(this.orm.em, {
      name: 'upkeep of opt-out links',
      actor: { role: 'REMINDERS' },
      rows: { table: 'reminder_preference', condition: IN_CLEAR_TEXT },
      work: (clinicId) => this.repeat({ role: 'REMINDERS', clinicId }, replaceTokens(clinicId), progress),
    });
  }

  /** Executes a statement until it changes no more rows. @returns the number of changed rows */
  private async repeat(actor: Actor, statement: RawBuilder<unknown>, progress: () => void): Promise<number> {
    let total = 0;
    for (let affected = BATCH_SIZE; affected === BATCH_SIZE; total += affected) {
      affected = await forkForActor(this.orm.em, actor).transactional(async (em) => {
        const { numAffectedRows } = await statement.execute((em as SqlEntityManager).getKysely());
        return Number(numAffectedRows);
      });
      progress();
    }
    return total;
  }
}

const IN_CLEAR_TEXT = sql`opt_out_token not like 'hashed:%'`;

/** Compares with the time of the database, because the policy of the role lets it delete only links expired by then. */
const deleteExpired = (group: ClinicGroup) => sql`
  delete from opt_out_link where ${inClinicGroupSql(group)} and (clinic_id, secret_hash) in (
    select clinic_id, secret_hash from opt_out_link where ${inClinicGroupSql(group)} and expires_at <= now()
    order by expires_at limit ${BATCH_SIZE})`;

function replaceTokens(clinicId: number | undefined): RawBuilder<unknown> {
  const inClinic = inClinicSql(clinicId);
  return sql`
  update reminder_preference set opt_out_token = 'hashed:' || owner_kind || ':' || owner_id
  where ${inClinic} and (clinic_id, owner_kind, owner_id) in (
    select clinic_id, owner_kind, owner_id from reminder_preference where ${inClinic} and ${IN_CLEAR_TEXT}
    limit ${BATCH_SIZE} for update skip locked)`;
}
