import { LockMode, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Directory } from '../../directory/index.js';
import type { ClinicPrincipal, StaffPrincipal } from '../../shared/access/index.js';
import { InvalidRequestError, NotFoundError } from '../../shared/errors/index.js';
import {
  toAfterKeyFilter,
  formatInstant,
  toOneOfFilter,
  toOneOfFilters,
  TenantEntityManager,
} from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import {
  countItemsIfRequested,
  cursorInstantSchema,
  parseCursor,
  toPage,
  type Page,
  type SortOrder,
} from '../../shared/validation/index.js';
import {
  toReminderWithHistoryModel,
  toReminderModel,
  type RedriveQuery,
  type RedriveResult,
  type ReminderModel,
  type ReminderQuery,
  type ReminderReadQuery,
  type ReminderWithHistoryModel,
} from './reminder-model.dto.js';
import { IncludedSessionLookup } from './included-session-lookup.js';
import { ChannelRegistry } from '../channel/channel-registry.js';
import { REDRIVE_FILTERS } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';

/** The maximum number of reminders that a single call redrives. */
const MAX_REDRIVEN = 1_000;

/** Reads the reminders of a Clinic or of a Care Provider's own Sessions, and redrives reminders for the Clinic. */
@Injectable()
export class ReminderReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
    private readonly includes: IncludedSessionLookup,
    private readonly channels: ChannelRegistry,
  ) {}

  /** @throws InvalidRequestError for a channel that the service does not have */
  list(caller: StaffPrincipal, query: ReminderQuery): Promise<Page<ReminderModel>> {
    this.assertKnownChannels(query.channel ?? []);
    return this.em.transactional(async (em) => {
      const access = await this.buildAccessFilter(caller);
      const { direction } = query.sort;
      const reminders = await em.find(
        Reminder,
        { ...access, $and: [toFilter(query), toCursorFilter(query.cursor, direction)] },
        { orderBy: { dueAt: direction, id: direction }, limit: query.limit + 1 },
      );
      const toIncludedFields = await this.includes.find(caller, reminders.slice(0, query.limit), query.include);
      const listed = { ...access, $and: [toFilter(query)] };
      const count = await countItemsIfRequested(query.count, (maximum) => em.countUpTo(Reminder, listed, maximum));
      const page = toPage(
        reminders,
        query.limit,
        ({ dueAt, id }) => [formatInstant(dueAt), id],
        (reminder) => ({ ...toReminderModel(reminder), ...toIncludedFields(reminder) }),
      );
      return { ...page, ...count };
    });
  }

  /** @throws NotFoundError if the caller may see no such reminder */
  get(caller: StaffPrincipal, id: number, { include }: ReminderReadQuery): Promise<ReminderWithHistoryModel> {
    return this.em.transactional(async (em) => {
      const reminder = await em.findOne(Reminder, { ...(await this.buildAccessFilter(caller)), id });
      if (reminder === null) throw new NotFoundError();
      const toIncludedFields = await this.includes.find(caller, [reminder], include);
      return { ...toReminderWithHistoryModel(reminder), ...toIncludedFields(reminder) };
    });
  }

  /**
   * @throws NotFoundError if the caller may see no such reminder
   * @throws ConflictError unless the reminder is DEAD or was skipped because it was too late
   */
  redrive(caller: ClinicPrincipal, id: number): Promise<ReminderWithHistoryModel> {
    return this.em.transactional(async (em) => {
      const where = { ...(await this.buildAccessFilter(caller)), id };
      const reminder = await em.findOne(Reminder, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (reminder === null) throw new NotFoundError();
      reminder.redrive(this.clock.now());
      return toReminderWithHistoryModel(reminder);
    });
  }

  /** Redrives the Clinic's dead letters, or the reminders that were skipped because they were too late. */
  redriveAll(caller: ClinicPrincipal, { status, from, to }: RedriveQuery): Promise<RedriveResult> {
    return this.em.transactional(async (em) => {
      const where = {
        ...(await this.buildAccessFilter(caller)),
        ...REDRIVE_FILTERS[status],
        $and: toDueFilter(from, to),
      };
      const options = { orderBy: { id: 'asc' }, limit: MAX_REDRIVEN, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
      const reminders = await em.find(Reminder, where, options);
      for (const reminder of reminders) reminder.redrive(this.clock.now());
      return { redriven: reminders.length };
    });
  }

  private assertKnownChannels(names: readonly string[]): void {
    const known = this.channels.names;
    if (names.every((name) => known.includes(name))) return;
    throw new InvalidRequestError([{ pointer: '/channel', detail: `must be one or more of ${known.join(', ')}` }]);
  }

  private async buildAccessFilter(caller: StaffPrincipal): Promise<{ clinicId: number; caregiverId?: number }> {
    const { id: clinicId } = await this.directory.requireStaffClinic(caller);
    return caller.role === 'CLINIC' ? { clinicId } : { clinicId, caregiverId: caller.caregiverId };
  }
}

function toFilter({ from, to, kind, ...query }: ReminderQuery): FilterQuery<Reminder> {
  const { status, recipientKind, recipientId, caregiverId, sessionId, channel } = query;
  const isOneKind = kind?.length === 1;
  return {
    ...toOneOfFilters({ status, recipientKind, recipientId, caregiverId, channel }),
    // The rule remains when the homework is removed.
    ...(isOneKind && { rule: { kind: kind[0] === 'HOMEWORK' ? 'HOMEWORK' : { $ne: 'HOMEWORK' } } }),
    $and: [...toDueFilter(from, to), toSessionFilter(sessionId)],
  };
}

/** Matches the reminders of Sessions, and the notices about Sessions that an erasure has deleted. */
function toSessionFilter(sessionIds: readonly number[] | undefined): FilterQuery<Reminder> {
  if (sessionIds === undefined) return {};
  const isOne = toOneOfFilter(sessionIds);
  return { $or: [{ sessionId: isOne }, { erasedSessionId: isOne }] };
}

function toDueFilter(from: Temporal.Instant | undefined, to: Temporal.Instant | undefined) {
  return [from === undefined ? {} : { dueAt: { $gte: from } }, to === undefined ? {} : { dueAt: { $lt: to } }];
}

function toCursorFilter(cursor: string | undefined, direction: SortOrder['direction']): FilterQuery<Reminder> {
  const key = parseCursor(cursor, z.tuple([cursorInstantSchema, z.int()]));
  return key === undefined ? {} : toAfterKeyFilter('dueAt', direction, ...key);
}
