// eslint-disable-next-line no-restricted-imports -- Creates records in several Clinics.
import { EntityManager } from '@mikro-orm/core';
// eslint-disable-next-line no-restricted-imports -- Sets the rights of each step.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { AuditSealer, writeAuditEntry } from '../audit/index.js';
import { DemonstrationDirectory } from '../directory/index.js';
import { DeliveryReplay, type Reminder, type ReplayedOutcome } from '../reminder/index.js';
import { formatInstant, toDatabaseSession, type Actor } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { DemonstrationCare } from './demonstration-care.js';
import { DemonstrationClock } from './demonstration-clock.js';
import { DemonstrationSettings } from './demonstration-settings.js';
import type { DemonstrationStep } from './demonstration-step.js';

/** The demonstration begins so many days before the first start, before the first step. */
const DAYS_OF_HISTORY = 44;

const TABLES_WITH_DOCUMENTED_IDS = [
  ...['clinic', 'care_provider', 'client', 'book', 'design_plan', 'session', 'homework', 'reminder', 'calendar_link'],
];
const EXAMPLE_SERIES_ID = '019abcde-0000-7000-8000-000000000000';
const FIRST_SESSION_OF_PLAN = 2;

/** The Session whose messages to the Client fail once, and the reminder that becomes a dead letter. */
const FAILING_SESSION_ID = 4;
const DEAD_REMINDER_ID = 1;

/**
 * Fills an empty embedded database: the demonstration directory, and what its people did in the weeks before. Every step
 * goes through the service that a request would call, with the caller's database rights, and has its audit entry.
 */
@Injectable()
export class Demonstration {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly directory: DemonstrationDirectory,
    private readonly care: DemonstrationCare,
    private readonly settings: DemonstrationSettings,
    private readonly deliveries: DeliveryReplay,
    private readonly sealer: AuditSealer,
  ) {}

  /**
   * Creates the demonstration if there is no Clinic, in one transaction: a start that is killed leaves nothing. The
   * connection must have the rights of the owner. With a clock that cannot be stopped, as in tests, it creates the
   * directory alone.
   */
  async createIfEmpty(): Promise<void> {
    const { clock } = this;
    if (!(clock instanceof DemonstrationClock)) {
      await this.directory.seedIfEmpty();
      return;
    }
    const now = clock.now();
    clock.stopAt(now.subtract({ hours: DAYS_OF_HISTORY * 24 }));
    try {
      const isCreated = await this.em.transactional(async () => {
        if (!(await this.directory.isEmpty())) return false;
        await this.restartIds();
        await this.directory.seedIfEmpty();
        await this.playSteps(clock, now);
        return true;
      });
      clock.run();
      if (isCreated) await this.sealer.seal();
    } finally {
      clock.run();
    }
  }

  /** An interrupted start rolls its rows back, but not the numbers that it has used. */
  private async restartIds(): Promise<void> {
    const next = TABLES_WITH_DOCUMENTED_IDS.map((table) => {
      return sql`setval(pg_get_serial_sequence(${table}, 'id'), (select coalesce(max(id), 0) + 1 from ${sql.table(table)}), false)`;
    });
    await sql`select ${sql.join(next)}`.execute((this.em as SqlEntityManager).getKysely());
  }

  private async playSteps(clock: DemonstrationClock, now: Temporal.Instant): Promise<void> {
    const steps = [...this.settings.listSteps(now), ...this.care.listSteps(now)];
    steps.sort((a, b) => Temporal.Instant.compare(a.at, b.at));
    for (const step of steps) {
      // Most steps change no reminders that are due.
      if (step.endsReminders) await this.replayDeliveries(step.at);
      clock.stopAt(step.at);
      await this.playStep(step);
    }
    await this.replayDeliveries(now);
    await this.renameSeries();
  }

  /** Gives the series of plan 1 the id that the examples of the OpenAPI document have. */
  private async renameSeries(): Promise<void> {
    await this.actAsOwner();
    const kysely = (this.em as SqlEntityManager).getKysely();
    const old = sql`(select series_id from session where id = ${FIRST_SESSION_OF_PLAN})`;
    // The Sessions refer to the series, so it is copied, and the original is deleted.
    await sql`
      insert into session_series
      select (jsonb_populate_record(series, jsonb_build_object('id', ${EXAMPLE_SERIES_ID}::text))).*
      from session_series series where id = ${old}`.execute(kysely);
    await sql`update session set series_id = ${EXAMPLE_SERIES_ID} where series_id = ${old}`.execute(kysely);
    await sql`delete from session_series where not exists (select from session where series_id = session_series.id)`.execute(
      kysely,
    );
  }

  private async playStep({ at, caller, operation, run }: DemonstrationStep): Promise<void> {
    await this.actAs(caller);
    const records = await run();
    await writeAuditEntry(
      this.em,
      {
        actor: caller,
        access: operation.startsWith('GET ') ? 'READ' : 'WRITE',
        operation,
        records,
        requestId: randomUUID(),
        address: '127.0.0.1',
        outcome: 'OK',
        count: 1,
      },
      formatInstant(at),
    );
    // The next step reads the records as its own request would.
    this.em.clear();
  }

  private async replayDeliveries(until: Temporal.Instant): Promise<void> {
    await this.actAsOwner();
    await this.deliveries.replayUntil(until, chooseOutcome);
  }

  private async actAsOwner(): Promise<void> {
    await sql`select set_config('role', 'none', true)`.execute((this.em as SqlEntityManager).getKysely());
  }

  /** Gives the transaction the rights of an actor. */
  private async actAs(actor: Actor): Promise<void> {
    const none = { 'app.caller_kind': '', 'app.caller_id': '', 'app.caller': '' };
    const variables = Object.entries({ ...none, ...toDatabaseSession(actor).variables });
    const settings = variables.map(([name, value]) => sql`set_config(${name}, ${value}, true)`);
    await sql`select ${sql.join(settings)}`.execute((this.em as SqlEntityManager).getKysely());
  }
}

function chooseOutcome({ id, sessionId, recipientKind }: Readonly<Reminder>): ReplayedOutcome {
  const isFailing = sessionId === FAILING_SESSION_ID && recipientKind === 'CLIENT';
  return { failures: isFailing ? 1 : 0, isUndeliverable: id === DEAD_REMINDER_ID };
}
