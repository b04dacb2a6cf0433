import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { findRunningInstances } from '../../instance/index.js';
import { Scheduler } from '../../scheduler/index.js';
import { RELEASE } from '../../shared/config/release.js';
import { forkForActor, type Actor, type Orm } from '../../shared/persistence/index.js';

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
export class OptOutUpkeep implements OnApplicationBootstrap {
  constructor(
    private readonly orm: MikroORM,
    private readonly scheduler: Scheduler,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduler.register({ name: JOB, cron: EVERY_MINUTE, run: () => this.run() });
  }

  async run(): Promise<void> {
    await this.repeat({ role: 'MAINTENANCE' }, deleteExpired);
    const instances = await findRunningInstances(this.orm as Orm);
    if (instances.some(({ release }) => release !== RELEASE)) return;
    await this.repeat({ role: 'REMINDERS' }, replaceTokens);
  }

  private async repeat(actor: Actor, statement: RawBuilder<unknown>): Promise<void> {
    for (let affected = BATCH_SIZE; affected === BATCH_SIZE;) {
      affected = await forkForActor(this.orm.em, actor).transactional(async (em) => {
        const { numAffectedRows } = await statement.execute((em as SqlEntityManager).getKysely());
        return Number(numAffectedRows);
      });
    }
  }
}

const deleteExpired = sql`
  delete from opt_out_link where secret_hash in (
    select secret_hash from opt_out_link where expires_at <= now() order by expires_at limit ${BATCH_SIZE})`;

const replaceTokens = sql`
  update reminder_preference set opt_out_token = 'hashed:' || owner_kind || ':' || owner_id
  where (owner_kind, owner_id) in (
    select owner_kind, owner_id from reminder_preference where opt_out_token not like 'hashed:%'
    limit ${BATCH_SIZE} for update skip locked)`;
