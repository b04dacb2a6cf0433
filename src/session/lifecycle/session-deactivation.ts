import { LockMode } from '@mikro-orm/core';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sql } from 'kysely';
import { DeactivationEvents, type DeactivationEvent } from '../../directory/index.js';
import { ReminderService } from '../../reminder/index.js';
import { FOR_BULK_UPDATE, UNTRACKED, TenantEntityManager, bulkUpdate } from '../../shared/persistence/index.js';
import { SeriesEditor } from '../scheduling/series-editor.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';

const CANCEL_REASONS = { CLIENT_DEACTIVATED: 'CLIENT_LEFT', CARE_PROVIDER_DEACTIVATED: 'CARE_PROVIDER_LEFT' } as const;

/**
 * What it means for Sessions that somebody leaves: those that have not happened are cancelled, or go over to the
 * Care Provider who takes the Clients on. What has happened stays. Part of the transaction of the departure.
 */
@Injectable()
export class SessionDeactivationHandler implements OnModuleInit {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly deactivations: DeactivationEvents,
    private readonly reminders: ReminderService,
    private readonly editor: SeriesEditor,
  ) {}

  onModuleInit(): void {
    this.deactivations.subscribe((departure) => this.handleDeactivation(departure));
  }

  private async handleDeactivation(departure: DeactivationEvent): Promise<void> {
    const { clinicId, at } = departure;
    if (departure.kind === 'CLIENTS_REASSIGNED') {
      const { fromCareProviderId: caregiverId, toCareProviderId, clientIds } = departure;
      const inHand = await this.findSeriesIds(clinicId, caregiverId, clientIds);
      const sessions = await this.lockUpcomingSessions(
        { clinicId, caregiverId, clientId: { $in: clientIds } },
        at,
        inHand,
      );
      const series = { clinicId, caregiverId, id: { $in: inHand } };
      await this.em.nativeUpdate(SessionSeries, series, { caregiverId: toCareProviderId });
      for (const session of sessions) session.reassign(toCareProviderId, at);
      await bulkUpdate(this.em, Session, sessions, { deferred: true });
      return this.editor.updateReminders(sessions, at);
    }
    const { id } = departure;
    const reason = CANCEL_REASONS[departure.kind];
    const whose = reason === 'CLIENT_LEFT' ? { clientId: id } : { caregiverId: id };
    const sessions = await this.lockUpcomingSessions({ clinicId, ...whose }, at);
    for (const session of sessions) session.cancel({ reason }, at);
    await bulkUpdate(this.em, Session, sessions, { deferred: true });
    await this.editor.updateReminders(sessions, at);
    // Of what has happened, homework may still have been waiting for its time.
    const kind = reason === 'CLIENT_LEFT' ? 'CLIENT' : 'CARE_PROVIDER';
    await this.reminders.withdrawByRecipient(clinicId, { kind, id }, at);
  }

  /** The series of these Clients whose new weeks are the Care Provider's, also where nothing of them is still to come. */
  private async findSeriesIds(clinicId: number, caregiverId: number, clientIds: readonly number[]): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select id from session_series where clinic_id = ${clinicId} and caregiver_id = ${caregiverId} and id in (
        select series_id from session where clinic_id = ${clinicId} and client_id = any(${[...clientIds]}::bigint[]))`.execute(
      this.em.getKysely(),
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Locks their series, in one order, so that nobody moves them meanwhile.
   *
   * @param others series to be locked with them
   */
  private async lockUpcomingSessions(
    where: { clinicId: number; caregiverId?: number; clientId?: number | { $in: number[] } },
    at: Temporal.Instant,
    others: readonly string[] = [],
  ): Promise<Session[]> {
    const unsettled = { ...where, status: { $in: ['SCHEDULED' as const, 'PAUSED' as const] } };
    const found = await this.em.find(Session, unsettled, UNTRACKED);
    const ids = [...new Set([...found.map(({ seriesId }) => seriesId), ...others])];
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    await this.em.find(
      SessionSeries,
      { clinicId: where.clinicId, id: { $in: ids } },
      { ...UNTRACKED, orderBy: { id: 'asc' }, lockMode },
    );
    const sessions = await this.em.find(Session, unsettled, { ...FOR_BULK_UPDATE, orderBy: { id: 'asc' } });
    return sessions.filter((session) => session.isUpcoming(at));
  }
}
