import { LockMode, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Directory } from '../../directory/index.js';
import type { ClinicPrincipal, StaffPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import { formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { parseCursor, instantKeySchema, toPage, type Page } from '../../shared/validation/index.js';
import {
  tellStory,
  viewReminder,
  type RedriveQuery,
  type Redriven,
  type ReminderModel,
  type ReminderQuery,
  type ReminderStoryModel,
} from './reminder-model.dto.js';
import { REDRIVABLE } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';

/** The most reminders that one call sends again. */
const REDRIVE_BATCH = 1_000;

/** Answers what has become of reminders, and why: for the Clinic, and for a Care Provider those of their Sessions. */
@Injectable()
export class ReminderReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
  ) {}

  list(caller: StaffPrincipal, query: ReminderQuery): Promise<Page<ReminderModel>> {
    return this.em.transactional(async (em) => {
      const reminders = await em.find(
        Reminder,
        { ...(await this.reachOf(caller)), $and: [matching(query), remindersAfter(query.cursor)] },
        { orderBy: { dueAt: 'asc', id: 'asc' }, limit: query.limit + 1 },
      );
      return toPage(reminders, query.limit, ({ dueAt, id }) => [formatInstant(dueAt), id], viewReminder);
    });
  }

  /** With its whole story. @throws NotFoundError */
  get(caller: StaffPrincipal, id: number): Promise<ReminderStoryModel> {
    return this.em.transactional(async (em) => {
      const reminder = await em.findOne(Reminder, { ...(await this.reachOf(caller)), id });
      if (reminder === null) throw new NotFoundError();
      return tellStory(reminder);
    });
  }

  /** Sends one again. @throws NotFoundError, ConflictError for one that is neither dead nor skipped as too late */
  redrive(caller: ClinicPrincipal, id: number): Promise<ReminderStoryModel> {
    return this.em.transactional(async (em) => {
      const where = { ...(await this.reachOf(caller)), id };
      const reminder = await em.findOne(Reminder, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (reminder === null) throw new NotFoundError();
      reminder.redrive(this.clock.now());
      return tellStory(reminder);
    });
  }

  /** Sends all dead letters of the Clinic again, or all that was skipped as too late: the oldest thousand of them. */
  redriveAll(caller: ClinicPrincipal, { status, from, to }: RedriveQuery): Promise<Redriven> {
    return this.em.transactional(async (em) => {
      const where = { ...(await this.reachOf(caller)), ...REDRIVABLE[status], $and: dueWithin(from, to) };
      const options = { orderBy: { id: 'asc' }, limit: REDRIVE_BATCH, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
      const unsent = await em.find(Reminder, where, options);
      for (const reminder of unsent) reminder.redrive(this.clock.now());
      return { redriven: unsent.length };
    });
  }

  private async reachOf(caller: StaffPrincipal): Promise<{ clinicId: number; caregiverId?: number }> {
    const { id: clinicId } = await this.directory.requireStaffClinic(caller);
    return caller.role === 'CLINIC' ? { clinicId } : { clinicId, caregiverId: caller.caregiverId };
  }
}

function matching({ from, to, status, recipientKind, recipientId, sessionId }: ReminderQuery): FilterQuery<Reminder> {
  const wanted = Object.entries({ status, recipientKind, recipientId, sessionId });
  return {
    ...Object.fromEntries(wanted.filter(([, value]) => value !== undefined)),
    $and: dueWithin(from, to),
  };
}

function dueWithin(from: Temporal.Instant | undefined, to: Temporal.Instant | undefined) {
  return [from === undefined ? {} : { dueAt: { $gte: from } }, to === undefined ? {} : { dueAt: { $lt: to } }];
}

function remindersAfter(cursor: string | undefined): FilterQuery<Reminder> {
  const key = parseCursor(cursor, z.tuple([instantKeySchema, z.int()]));
  if (key === undefined) return {};
  const [dueAt, id] = key;
  // The first condition alone says nothing new, but the index can begin there.
  return { dueAt: { $gte: dueAt }, $or: [{ dueAt: { $gt: dueAt } }, { id: { $gt: id } }] };
}
