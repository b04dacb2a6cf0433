import { LockMode, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Directory } from '../directory/index.js';
import type { ClinicPrincipal, StaffPrincipal } from '../shared/access/index.js';
import { NotFoundError } from '../shared/errors/index.js';
import { formatInstant, TenantEntityManager } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { afterCursor, instantKey, pageOf, type Page } from '../shared/validation/index.js';
import {
  tellStory,
  viewReminder,
  type Redriven,
  type ReminderModel,
  type ReminderQuery,
  type ReminderStoryModel,
} from './dto/reminder-model.js';
import { Reminder } from './reminder.entity.js';

/** The most dead letters that one call sends again. */
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
      return pageOf(reminders, query.limit, ({ dueAt, id }) => [formatInstant(dueAt), id], viewReminder);
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

  /** Sends a dead letter again. @throws NotFoundError, ConflictError for one that is not dead */
  redrive(caller: ClinicPrincipal, id: number): Promise<ReminderStoryModel> {
    return this.em.transactional(async (em) => {
      const where = { ...(await this.reachOf(caller)), id };
      const reminder = await em.findOne(Reminder, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (reminder === null) throw new NotFoundError();
      reminder.redrive(this.clock.now());
      return tellStory(reminder);
    });
  }

  /** Sends all dead letters of the Clinic again, the oldest thousand of them. */
  redriveAll(caller: ClinicPrincipal): Promise<Redriven> {
    return this.em.transactional(async (em) => {
      const where = { ...(await this.reachOf(caller)), status: 'DEAD' as const };
      const options = { orderBy: { id: 'asc' }, limit: REDRIVE_BATCH, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
      const dead = await em.find(Reminder, where, options);
      for (const reminder of dead) reminder.redrive(this.clock.now());
      return { redriven: dead.length };
    });
  }

  private async reachOf(caller: StaffPrincipal): Promise<{ clinicId: number; caregiverId?: number }> {
    const { id: clinicId } = await this.directory.requireClinicOf(caller);
    return caller.role === 'CLINIC' ? { clinicId } : { clinicId, caregiverId: caller.caregiverId };
  }
}

function matching({ from, to, status, recipientKind, recipientId, sessionId }: ReminderQuery): FilterQuery<Reminder> {
  const wanted = Object.entries({ status, recipientKind, recipientId, sessionId });
  return {
    ...Object.fromEntries(wanted.filter(([, value]) => value !== undefined)),
    $and: [from === undefined ? {} : { dueAt: { $gte: from } }, to === undefined ? {} : { dueAt: { $lt: to } }],
  };
}

function remindersAfter(cursor: string | undefined): FilterQuery<Reminder> {
  const key = afterCursor(cursor, z.tuple([instantKey, z.int()]));
  if (key === undefined) return {};
  const [dueAt, id] = key;
  // The first condition alone says nothing new, but the index can begin there.
  return { dueAt: { $gte: dueAt }, $or: [{ dueAt: { $gt: dueAt } }, { id: { $gt: id } }] };
}
