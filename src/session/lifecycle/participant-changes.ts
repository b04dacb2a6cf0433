import { raw } from '@mikro-orm/core';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sql } from 'kysely';
import {
  DeactivationAndReassignmentEvents,
  type DeactivationEvent,
  type ReassignmentEvent,
} from '../../directory/index.js';
import { ReminderService } from '../../reminder/index.js';
import { addChangedRecords } from '../../shared/audit-records/index.js';
import {
  FOR_BULK_UPDATE,
  TenantEntityManager,
  bulkUpdate,
  concatenateAndConditions,
  formatInstant,
} from '../../shared/persistence/index.js';
import { isBefore } from '../../shared/time/index.js';
import { WITHOUT_TEXTS } from '../scheduling/without-texts.js';
import { ScheduleConflictFinder } from '../scheduling/schedule-conflict-finder.js';
import { SessionReminders } from '../scheduling/session-reminders.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';

type Participants = { clinicId: number; caregiverIds?: readonly number[]; clientIds?: readonly number[] };

/** The reason with which an event cancels Sessions. */
const REASON_OF_EVENT = {
  CLIENTS_DEACTIVATED: 'CLIENT_LEFT',
  CARE_PROVIDERS_DEACTIVATED: 'CARE_PROVIDER_LEFT',
} as const;

/**
 * Cancels the upcoming Sessions of Clients or Care Providers within the transaction that deactivates them.
 * When Clients are reassigned, their upcoming Sessions move to the new Care Provider. Past Sessions do not change.
 */
@Injectable()
export class ParticipantChangeHandler implements OnModuleInit {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly deactivations: DeactivationAndReassignmentEvents,
    private readonly reminders: ReminderService,
    private readonly sessionReminders: SessionReminders,
    private readonly conflicts: ScheduleConflictFinder,
  ) {}

  onModuleInit(): void {
    this.deactivations.subscribe(
      async (event) => {
        const isReassignment = event.kind === 'CLIENTS_REASSIGNED';
        const sessions = await (isReassignment ? this.reassignUpcoming(event) : this.cancelUpcoming(event));
        addChangedRecords({ sessionIds: sessions.map(({ id }) => id) });
        const { conflictCount } = isReassignment ? await this.conflicts.findOverlaps(sessions) : { conflictCount: 0 };
        return { sessions: sessions.map(({ id, version }) => ({ id, version })), conflictCount };
      },
      (people) => this.lockForDeactivation(people),
    );
  }

  /** Moves the upcoming Sessions of reassigned Clients to their new Care Provider. Returns these Sessions. */
  private async reassignUpcoming(event: ReassignmentEvent): Promise<Session[]> {
    const { clinicId, fromCareProviderId: caregiverId, toCareProviderId, clientIds, at } = event;
    const seriesIds = await this.findSeriesIds(clinicId, caregiverId, clientIds);
    const participants = { clinicId, caregiverIds: [caregiverId], clientIds };
    await this.lockSeries(participants, seriesIds);
    const sessions = await this.findUpcoming(participants, at);
    const series = { clinicId, caregiverId, id: { $in: seriesIds } };
    const handOver = { caregiverId: toCareProviderId, version: raw('version + 1'), changedAt: at };
    await this.em.nativeUpdate(SessionSeries, series, handOver);
    for (const session of sessions) session.reassign(toCareProviderId, at);
    await bulkUpdate(this.em, Session, sessions, { deferred: true, withoutTexts: true });
    await this.sessionReminders.update(sessions, at);
    return sessions;
  }

  /** Locks the series, and then the reminders, that `cancelUpcoming` changes for these people. */
  private async lockForDeactivation(people: Omit<DeactivationEvent, 'isErased'>): Promise<void> {
    const { clinicId, at } = people;
    const participants = toParticipants(people);
    await this.lockSeries(participants);
    const upcoming = sql`
      select id from session where clinic_id = ${clinicId}
        and (status = 'PAUSED' or status = 'SCHEDULED' and starts_at > ${formatInstant(at)}::timestamptz)
        ${toConditions(participants)}`;
    await this.reminders.lockForDeactivation(clinicId, upcoming, toRecipients(people));
  }

  /** Cancels the upcoming Sessions of deactivated people, which are locked. Returns these Sessions. */
  private async cancelUpcoming(event: DeactivationEvent): Promise<Session[]> {
    const { clinicId, at } = event;
    const reason = REASON_OF_EVENT[event.kind];
    const sessions = await this.findUpcoming(toParticipants(event), at);
    for (const session of sessions) session.cancel({ reason }, at);
    await bulkUpdate(this.em, Session, sessions, { deferred: true, withoutTexts: true });
    await this.sessionReminders.update(sessions, at);
    if (event.isErased && reason === 'CLIENT_LEFT')
      await this.reminders.planErasureNotices(
        sessions.filter(({ startsAt }) => isBefore(at, startsAt)).map((session) => session.toSnapshot()),
        at,
      );
    // Homework from past Sessions can also have pending reminders.
    await this.reminders.withdrawByRecipients(clinicId, toRecipients(event), at);
    return sessions;
  }

  /** Finds the series of a Care Provider with the given Clients, including series without upcoming Sessions. */
  private async findSeriesIds(clinicId: number, caregiverId: number, clientIds: readonly number[]): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select id from session_series where clinic_id = ${clinicId} and caregiver_id = ${caregiverId} and id in (
        select series_id from session where clinic_id = ${clinicId} and client_id = any(${[...clientIds]}::bigint[]))`.execute(
      this.em.getKysely(),
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Locks the series of all Sessions that are scheduled or paused, including past ones, in ID order to avoid deadlocks.
   * Does not return them, because an import may deactivate thousands of people.
   *
   * @param otherIds IDs of further series to lock
   */
  private async lockSeries(participants: Participants, otherIds: readonly string[] = []): Promise<void> {
    const { clinicId } = participants;
    await sql`
      select count(*) from (
        select id from session_series where clinic_id = ${clinicId} and id in (
          select series_id from session
          where clinic_id = ${clinicId} and status in ('SCHEDULED', 'PAUSED') ${toConditions(participants)}
          union
          select id from session_series where clinic_id = ${clinicId} and id = any(${[...otherIds]}::uuid[]))
        order by id for update) as locked`.execute(this.em.getKysely());
  }

  private async findUpcoming(participants: Participants, at: Temporal.Instant): Promise<Session[]> {
    const { clinicId, caregiverIds, clientIds } = participants;
    // A participant can have many past Sessions that were never completed, so they are not read.
    const upcoming = [{ status: 'PAUSED' as const }, { status: 'SCHEDULED' as const, startsAt: { $gt: at } }];
    const ofCareProviders = caregiverIds === undefined ? {} : { caregiverId: { $in: [...caregiverIds] } };
    const ofClients = clientIds === undefined ? {} : { clientId: { $in: [...clientIds] } };
    const where = { clinicId, ...ofCareProviders, ...ofClients, $or: upcoming };
    const options = { ...FOR_BULK_UPDATE, exclude: WITHOUT_TEXTS.exclude, orderBy: { id: 'asc' } } as const;
    const sessions = (await this.em.find(Session, where, options)) as Session[];
    return sessions.filter((session) => session.isUpcoming(at));
  }
}

type DeactivatedPeople = Pick<DeactivationEvent, 'kind' | 'clinicId' | 'ids'>;

function toParticipants({ kind, clinicId, ids }: DeactivatedPeople): Participants {
  return { clinicId, ...(kind === 'CLIENTS_DEACTIVATED' ? { clientIds: ids } : { caregiverIds: ids }) };
}

function toRecipients({ kind, ids }: DeactivatedPeople) {
  return { kind: kind === 'CLIENTS_DEACTIVATED' ? 'CLIENT' : 'CARE_PROVIDER', ids } as const;
}

/** SQL conditions for the Sessions of the participants. */
function toConditions({ caregiverIds, clientIds }: Participants) {
  return concatenateAndConditions([
    caregiverIds === undefined ? undefined : sql`and caregiver_id = any(${[...caregiverIds]}::bigint[])`,
    clientIds === undefined ? undefined : sql`and client_id = any(${[...clientIds]}::bigint[])`,
  ]);
}
