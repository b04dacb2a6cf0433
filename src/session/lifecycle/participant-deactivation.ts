import { LockMode, raw } from '@mikro-orm/core';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sql } from 'kysely';
import { DeactivationAndReassignmentEvents, type DeactivationOrReassignmentEvent } from '../../directory/index.js';
import { ReminderService } from '../../reminder/index.js';
import { FOR_BULK_UPDATE, UNTRACKED, TenantEntityManager, bulkUpdate } from '../../shared/persistence/index.js';
import { SeriesEditor } from '../scheduling/series-editor.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';

const CANCEL_REASONS = { CLIENT_DEACTIVATED: 'CLIENT_LEFT', CARE_PROVIDER_DEACTIVATED: 'CARE_PROVIDER_LEFT' } as const;

/**
 * Cancels the upcoming Sessions of a Client or Care Provider within the transaction that deactivates the participant.
 * When Clients are reassigned, their upcoming Sessions move to the new Care Provider. Past Sessions do not change.
 */
@Injectable()
export class ParticipantDeactivationHandler implements OnModuleInit {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly deactivations: DeactivationAndReassignmentEvents,
    private readonly reminders: ReminderService,
    private readonly editor: SeriesEditor,
  ) {}

  onModuleInit(): void {
    this.deactivations.subscribe(async (event, changed) => {
      for (const { id, version } of await this.handleDeactivation(event)) changed.push({ id, version });
    });
  }

  /**
   * Cancels or reassigns the upcoming Sessions of the people in the event.
   *
   * @returns the Sessions that have changed
   */
  private async handleDeactivation(event: DeactivationOrReassignmentEvent): Promise<Session[]> {
    const { clinicId, at } = event;
    if (event.kind === 'CLIENTS_REASSIGNED') {
      const { fromCareProviderId: caregiverId, toCareProviderId, clientIds } = event;
      const seriesIds = await this.findSeriesIds(clinicId, caregiverId, clientIds);
      const sessions = await this.findUpcomingAndLockSeries(
        { clinicId, caregiverId, clientId: { $in: clientIds } },
        at,
        seriesIds,
      );
      const series = { clinicId, caregiverId, id: { $in: seriesIds } };
      const handOver = { caregiverId: toCareProviderId, version: raw('version + 1'), changedAt: at };
      await this.em.nativeUpdate(SessionSeries, series, handOver);
      for (const session of sessions) session.reassign(toCareProviderId, at);
      await bulkUpdate(this.em, Session, sessions, { deferred: true });
      await this.editor.updateReminders(sessions, at);
      return sessions;
    }
    const { id } = event;
    const reason = CANCEL_REASONS[event.kind];
    const participant = reason === 'CLIENT_LEFT' ? { clientId: id } : { caregiverId: id };
    const sessions = await this.findUpcomingAndLockSeries({ clinicId, ...participant }, at);
    for (const session of sessions) session.cancel({ reason }, at);
    await bulkUpdate(this.em, Session, sessions, { deferred: true });
    await this.editor.updateReminders(sessions, at);
    if (event.isErased && reason === 'CLIENT_LEFT')
      await this.reminders.planErasureNotices(
        sessions.map((session) => session.toSnapshot()),
        at,
      );
    // Homework from past Sessions can also have pending reminders.
    const kind = reason === 'CLIENT_LEFT' ? 'CLIENT' : 'CARE_PROVIDER';
    await this.reminders.withdrawByRecipient(clinicId, { kind, id }, at);
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
   * Finds upcoming Sessions and locks their series, in ID order to avoid deadlocks.
   *
   * @param otherSeriesIds IDs of further series to lock
   */
  private async findUpcomingAndLockSeries(
    where: { clinicId: number; caregiverId?: number; clientId?: number | { $in: number[] } },
    at: Temporal.Instant,
    otherSeriesIds: readonly string[] = [],
  ): Promise<Session[]> {
    const open = { ...where, status: { $in: ['SCHEDULED' as const, 'PAUSED' as const] } };
    const found = await this.em.find(Session, open, UNTRACKED);
    const ids = [...new Set([...found.map(({ seriesId }) => seriesId), ...otherSeriesIds])];
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    await this.em.find(
      SessionSeries,
      { clinicId: where.clinicId, id: { $in: ids } },
      { ...UNTRACKED, orderBy: { id: 'asc' }, lockMode },
    );
    const sessions = await this.em.find(Session, open, { ...FOR_BULK_UPDATE, orderBy: { id: 'asc' } });
    return sessions.filter((session) => session.isUpcoming(at));
  }
}
