import type { FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Directory } from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { InvalidRequestError, NotFoundError } from '../../shared/errors/index.js';
import {
  toAfterKeyFilter,
  formatInstant,
  toOneOfFilter,
  toOneOfFilters,
  TenantEntityManager,
  UNTRACKED,
} from '../../shared/persistence/index.js';
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
  type ReminderModel,
  type ReminderQuery,
  type ReminderReadQuery,
  type ReminderWithHistoryModel,
} from './reminder-model.dto.js';
import { IncludedSessionLookup } from './included-session-lookup.js';
import { ChannelRegistry } from '../channel/channel-registry.js';
import { ReminderPreference } from '../domain/preference/reminder-preference.entity.js';
import { isUpcoming } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';

/** Reads the reminders of a Clinic, or of a Care Provider's own Sessions. */
@Injectable()
export class ReminderReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
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
        { ...access, $and: [toFilter(query), toCursorFilter(query.cursor, query.sort)] },
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
        query.sort,
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
      const preference = isUpcoming(reminder.status) ? { optedOut: await this.hasOptedOut(reminder) } : {};
      return { ...toReminderWithHistoryModel(reminder), ...preference, ...toIncludedFields(reminder) };
    });
  }

  private async hasOptedOut(reminder: Reminder): Promise<boolean> {
    const { clinicId, recipientKind: ownerKind, recipientId: ownerId } = reminder;
    const preference = await this.em.findOne(ReminderPreference, { clinicId, ownerKind, ownerId }, UNTRACKED);
    return preference?.excludes(reminder) ?? false;
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

/** Matches the reminders that are due at `from` or later, and before `to`. */
export function toDueFilter(from: Temporal.Instant | undefined, to: Temporal.Instant | undefined) {
  return [from === undefined ? {} : { dueAt: { $gte: from } }, to === undefined ? {} : { dueAt: { $lt: to } }];
}

function toCursorFilter(cursor: string | undefined, order: SortOrder): FilterQuery<Reminder> {
  const key = parseCursor(cursor, z.tuple([cursorInstantSchema, z.int()]), order);
  return key === undefined ? {} : toAfterKeyFilter('dueAt', order.direction, ...key);
}
