import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { sql } from 'kysely';
import { getErrorClassName } from '../../shared/errors/index.js';
import { forkForActor } from '../../shared/persistence/index.js';

/** Writes, when the service starts, the audit entries of commands that are stored because they have no entry yet. */
@Injectable()
export class PendingCommandRecorder implements OnApplicationBootstrap {
  private readonly logger = new Logger(PendingCommandRecorder.name);

  constructor(private readonly em: EntityManager) {}

  /** If writing fails, the commands remain stored until the next start. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.record();
    } catch (error) {
      this.logger.error(
        { error: getErrorClassName(error) },
        'audit entries of stored commands could not be written yet',
      );
    }
  }

  /** The DELETE locks the rows, so instances that start at the same time write each entry only once. */
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
