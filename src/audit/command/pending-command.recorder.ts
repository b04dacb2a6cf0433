import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { sql } from 'kysely';
import { forkForActor } from '../../shared/persistence/index.js';

/** Writes, when the service starts, the entries of commands that could not write them: of a restore. */
@Injectable()
export class PendingCommandRecorder implements OnApplicationBootstrap {
  private readonly logger = new Logger(PendingCommandRecorder.name);

  constructor(private readonly em: EntityManager) {}

  /** Where the database cannot be written to, they wait for the next start. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.record();
    } catch (error) {
      const kind = error instanceof Error ? error.name : typeof error;
      this.logger.error({ error: kind }, 'commands that wait for their entry are not in the audit trail yet');
    }
  }

  /** Of instances that start at once, one writes an entry. */
  private async record(): Promise<void> {
    await forkForActor(this.em, { role: 'AUDIT' }).transactional(async (em) => {
      await sql`
        with pending as (delete from audit_pending_command returning *)
        insert into audit_entry (clinic_id, at, actor_role, actor_subject, access, operation, records, record_count,
          request_id, address, outcome)
        select null, at, 'COMMAND', actor_subject, access, operation, records, cardinality(records), request_id,
          address, 'OK' from pending`.execute((em as SqlEntityManager).getKysely());
    });
  }
}
