// eslint-disable-next-line no-restricted-imports -- Creates records in several Clinics.
import { EntityManager } from '@mikro-orm/core';
// eslint-disable-next-line no-restricted-imports -- Sets the rights of each step.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { AuditSealer, writeAuditEntry } from '../audit/index.js';
import { DemonstrationDirectory } from '../directory/index.js';
import { DemonstrationDeliveries, type Reminder, type DemonstrationOutcome } from '../reminder/index.js';
import { buildSessionStatement, formatInstant, toDatabaseSession, type Actor } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { DemonstrationCare } from './demonstration-care.js';
import { DemonstrationClock } from './demonstration-clock.js';
import { DemonstrationErasures } from './demonstration-erasures.js';
import { DemonstrationSettings } from './demonstration-settings.js';
import type { DemonstrationStep } from './demonstration-step.js';

/** Days before the first start at which the demonstration begins. All steps take place later. */
const DAYS_OF_HISTORY = 44;

const TABLES_WITH_DOCUMENTED_IDS = [
  ...['clinic', 'care_provider', 'client', 'book', 'design_plan', 'session', 'homework', 'reminder', 'calendar_link'],
  'erasure',
];
const EXAMPLE_SERIES_ID = '019abcde-0000-7000-8000-000000000000';
const FIRST_SESSION_OF_PLAN = 2;

/** The Session whose messages to the Client fail once, and the reminder that becomes a dead letter. */
const FAILING_SESSION_ID = 4;
const DEAD_REMINDER_ID = 1;

/**
 * Fills an empty embedded database with example records, and with the actions of example users during the past weeks.
 * Each step calls the same service as a request would, with the caller's database rights, and writes an audit entry.
 */
@Injectable()
export class Demonstration {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly directory: DemonstrationDirectory,
    private readonly care: DemonstrationCare,
    private readonly settings: DemonstrationSettings,
    private readonly erasures: DemonstrationErasures,
    private readonly deliveries: DemonstrationDeliveries,
    private readonly sealer: AuditSealer,
  ) {}

  /**
   * Creates the demonstration if there is no Clinic. Requires a transaction, so that an interrupted start leaves
   * nothing behind, and a connection with the rights of the table owner. If the clock cannot be stopped, as in tests,
   * only the directory records are created.
   *
   * @returns whether the demonstration was created
   */
  async createIfEmpty(): Promise<boolean> {
    const { clock } = this;
    if (!(clock instanceof DemonstrationClock)) {
      await this.directory.seedIfEmpty();
      return false;
    }
    const now = clock.now();
    clock.stopAt(now.subtract({ hours: DAYS_OF_HISTORY * 24 }));
    try {
      const isCreated = await this.em.transactional(async () => {
        if (!(await this.directory.isEmpty())) return false;
        await this.restartIdSequences();
        await this.directory.seedIfEmpty();
        await this.playSteps(clock, now);
        return true;
      });
      clock.resume();
      if (isCreated) await this.sealer.seal();
      return isCreated;
    } finally {
      clock.resume();
    }
  }

  /** Sets the ID sequences to the next free ID, because the rollback of an interrupted start does not reset them. */
  private async restartIdSequences(): Promise<void> {
    const next = TABLES_WITH_DOCUMENTED_IDS.map((table) => {
      return sql`setval(pg_get_serial_sequence(${table}, 'id'), (select coalesce(max(id), 0) + 1 from ${sql.table(table)}), false)`;
    });
    await sql`select ${sql.join(next)}`.execute((this.em as SqlEntityManager).getKysely());
  }

  private async playSteps(clock: DemonstrationClock, now: Temporal.Instant): Promise<void> {
    const steps = [this.settings, this.care, this.erasures].flatMap((part) => part.listSteps(now));
    steps.sort((a, b) => Temporal.Instant.compare(a.at, b.at));
    for (const step of steps) {
      // Only steps that withdraw reminders change due reminders, so only they need the deliveries before them.
      if (step.endsReminders) await this.recordDeliveries(step.at);
      clock.stopAt(step.at);
      await this.playStep(step);
    }
    await this.recordDeliveries(now);
    await this.assignDocumentedSeriesId();
  }

  /** Changes the ID of the series that was created from plan 1 to the one in the examples of the OpenAPI document. */
  private async assignDocumentedSeriesId(): Promise<void> {
    await this.actAsOwner();
    const kysely = (this.em as SqlEntityManager).getKysely();
    const old = sql`(select series_id from session where id = ${FIRST_SESSION_OF_PLAN})`;
    // Sessions refer to the ID, so the series is copied with the new ID, and the original is deleted.
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
    // Clears the entities in memory, so that the next step reads its records from the database, as a request would.
    this.em.clear();
  }

  private async recordDeliveries(until: Temporal.Instant): Promise<void> {
    await this.actAsOwner();
    await this.deliveries.recordUntil(until, chooseOutcome);
  }

  private async actAsOwner(): Promise<void> {
    await sql`select set_config('role', 'none', true)`.execute((this.em as SqlEntityManager).getKysely());
  }

  /** Gives the current transaction the database rights of an actor. */
  private async actAs(actor: Actor): Promise<void> {
    const none = { 'app.caller_kind': '', 'app.caller_id': '', 'app.caller': '', 'app.clinic_id': '' };
    const { 'app.clinic_id': clinicId, ...variables } = { ...none, ...toDatabaseSession(this.em, actor).variables };
    // The Clinic is set last, because setting it may make the database look up the caller in the other variables.
    const { text } = buildSessionStatement({ ...variables, 'app.clinic_id': clinicId });
    await sql.raw(text).execute((this.em as SqlEntityManager).getKysely());
  }
}

function chooseOutcome({ id, sessionId, recipientKind }: Readonly<Reminder>): DemonstrationOutcome {
  const isFailing = sessionId === FAILING_SESSION_ID && recipientKind === 'CLIENT';
  return { failures: isFailing ? 1 : 0, isUndeliverable: id === DEAD_REMINDER_ID };
}
