import { LockMode, type EntityManager } from '@mikro-orm/core';
import {
  BadRequestException,
  Body,
  Controller,
  ForbiddenException,
  Get,
  Injectable,
  Post,
  Query,
  Res,
  UnprocessableEntityException,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { randomUUIDv7 } from 'node:crypto';
import { DesignPlan } from '../../../src/design-plan/index.js';
import { CareProvider, Client, ClientAssignment } from '../../../src/directory/index.js';
import { Reminder, type ReminderRule } from '../../../src/reminder/index.js';
import { toSessionModel, type SessionModel } from '../../../src/session/reading/dto/session-model.js';
import { Homework, Session, SessionSeries } from '../../../src/session/index.js';
import { createSeriesSlots } from '../../../src/session/domain/series-slots.js';
import { formatInstant, isStorableInstant } from '../../../src/shared/persistence/index.js';
import { parseClockTime, parseSlashDate, RequestOffset } from '../../../src/shared/time/index.js';
import { toPage, type Page } from '../../../src/shared/validation/index.js';
import { CurrentRequest, RequireRole, type VerifiedRequest } from './caller.js';
import { CreateSessionsDto, ListSessionsDto } from './dto.js';
import { nonBlankText, findUsableBooks } from './plans.js';
import { requireClinic, Transactions } from './transactions.js';

type Created = { seriesId: string; sessions: Session[] };

@Injectable()
export class SessionService {
  constructor(private readonly transactions: Transactions) {}

  create(request: VerifiedRequest, body: CreateSessionsDto, zone: string | undefined): Promise<Created> {
    const work = async (em: EntityManager): Promise<Created> => {
      const caller = await em.findOne(CareProvider, { id: request.caller.id, active: true });
      const clinic = await requireClinic(em, caller?.clinicId);
      if (body.clinicId && body.clinicId !== clinic.id) throw new ForbiddenException();
      const plan = await requireUsable(em, clinic.id, request.caller.id, body);
      const title = nonBlankText(body.title) ?? plan?.appointmentTitle;
      if (title == null) throw new BadRequestException('title must be given');
      const now = Temporal.Now.instant();
      const series = new SessionSeries(
        {
          ...{ id: randomUUIDv7(), clinicId: clinic.id, designPlanId: plan?.id },
          ...{ caregiverId: body.caregiverId || request.caller.id, remindDays: body.remindDays ?? undefined },
          ...{ intervalDays: body.intervalDays ?? 7, reminders: [...new Set(body.reminders)] },
        },
        now,
      );
      const data = {
        ...{ seriesId: series.id, clinicId: clinic.id, caregiverId: body.caregiverId || request.caller.id, title },
        ...{ clientId: body.clientId, designPlanId: plan?.id, durationMinutes: body.durationMinutes ?? undefined },
        ...{ description: nonBlankText(body.description) ?? plan?.appointmentDesc ?? undefined },
      };
      const first = parseSlashDate(body.date)!.toPlainDateTime(parseClockTime(body.time));
      const slots = createSeriesSlots(first, zone ?? clinic.timeZone, body.sessionCount || 1, series.intervalDays);
      const sessions = slots.map((slot, index) => new Session(data, { position: index + 1 }, slot, now));
      if (!sessions.every(({ startsAt, endsAt }) => isStorableInstant(startsAt) && isStorableInstant(endsAt)))
        throw new BadRequestException('date must be in the years 1 to 9999');
      // The product's entities refer to each other by ID instead of relations, so each level needs the IDs of the level
      // above.
      await em.persist(series).flush();
      await em.persist(sessions).flush();
      em.persist(sessions.flatMap((session) => [...new Set(body.bookIdList)].map((id) => new Homework(session, id))));
      em.persist(sessions.flatMap((session) => remindersOf(session, body, series.reminders, now)));
      await em.flush();
      return { seriesId: series.id, sessions };
    };
    return this.transactions.run(request, work, ({ seriesId }) => [`series/${seriesId}`, `client/${body.clientId}`]);
  }

  list(request: VerifiedRequest, query: ListSessionsDto): Promise<Page<SessionModel>> {
    const work = async (em: EntityManager) => {
      const clinic = await requireClinic(em, request.caller.id);
      const from = query.from === undefined ? {} : { startsAt: { $gte: Temporal.Instant.from(query.from) } };
      const limit = Number(query.limit ?? 50);
      const where = { clinicId: clinic.id, ...from };
      const options = { orderBy: { startsAt: 'asc', id: 'asc' }, limit: limit + 1 } as const;
      const sessions = await em.find(Session, where, options);
      const sessionId = { $in: sessions.map(({ id }) => id) };
      const homework = await em.find(Homework, { clinicId: clinic.id, sessionId }, { orderBy: { id: 'asc' } });
      const given = Map.groupBy(homework, (item) => item.sessionId);
      const id = { $in: sessions.map(({ seriesId }) => seriesId) };
      const series = await em.find(SessionSeries, { clinicId: clinic.id, id });
      const remindDays = new Map(series.map((one) => [one.id, one.remindDays]));
      return toPage(
        sessions,
        limit,
        (session) => [formatInstant(session.startsAt), session.id],
        (session) => toSessionModel(session, given.get(session.id) ?? [], remindDays.get(session.seriesId) ?? null),
      );
    };
    return this.transactions.run(request, work, ({ items }) =>
      items.flatMap(({ id, clientId, seriesId, homework }) => [
        ...[`session/${id}`, `series/${seriesId}`, `client/${clientId}`],
        ...homework.map((item) => `homework/${item.id}`),
      ]),
    );
  }
}

@Controller()
export class SessionController {
  constructor(private readonly service: SessionService) {}

  @Post('/gateway/profile/caregiver/session')
  @RequireRole('CARE_PROVIDER')
  async create(
    @CurrentRequest() request: VerifiedRequest,
    @Body() body: CreateSessionsDto,
    @RequestOffset() zone: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ message: string }> {
    const { seriesId, sessions } = await this.service.create(request, body, zone);
    void reply.header('location', `/gateway/profile/caregiver/session?seriesId=${seriesId}`);
    if (sessions.length === 1) void reply.header('etag', '"1"');
    const what = sessions.length === 1 ? '1 Session was created' : `${sessions.length} Sessions were created`;
    return { message: `${what}: ${sessions.map(({ id }) => id).join(', ')}.` };
  }

  @Get('/gateway/profile/clinic/session')
  @RequireRole('CLINIC')
  list(@CurrentRequest() request: VerifiedRequest, @Query() query: ListSessionsDto): Promise<Page<SessionModel>> {
    return this.service.list(request, query);
  }
}

/** Locks the Care Provider and the Client, in this order, so that neither is deactivated in the meantime. */
async function requireUsable(em: EntityManager, clinicId: number, callerId: number, body: CreateSessionsDto) {
  const { clientId, bookIdList } = body;
  const shared = { lockMode: LockMode.PESSIMISTIC_READ, refresh: true } as const;
  const careProvider = await em.findOne(CareProvider, { clinicId, id: body.caregiverId || callerId }, shared);
  const client = await em.findOne(Client, { clinicId, id: clientId }, shared);
  const isAssigned = (await em.count(ClientAssignment, { clinicId, careProviderId: callerId, clientId })) > 0;
  const plan = body.designPlanId ? await em.findOne(DesignPlan, { clinicId, id: body.designPlanId }) : null;
  const usable = await findUsableBooks(em, clinicId, bookIdList ?? []);
  const isUsable =
    (careProvider?.active ?? false) &&
    (client?.active ?? false) &&
    isAssigned &&
    (!body.designPlanId || plan !== null) &&
    (bookIdList ?? []).every((id) => usable.has(id));
  if (!isUsable) throw new UnprocessableEntityException();
  return plan;
}

function remindersOf(
  session: Session,
  { remindDays }: CreateSessionsDto,
  offsets: readonly string[],
  now: Temporal.Instant,
): Reminder[] {
  const rules: ReminderRule[] = [
    ...(remindDays == null ? [] : [{ kind: 'REMIND_DAYS' as const, days: remindDays }]),
    ...offsets.map((offset) => ({ kind: 'AROUND_START' as const, offset })),
  ];
  const kinds = ['CLIENT', 'CARE_PROVIDER'] as const;
  const reminders = rules.flatMap((rule) => kinds.map((kind) => new Reminder(session.toSnapshot(), kind, rule, now)));
  if (!reminders.every(({ dueAt }) => isStorableInstant(dueAt)))
    throw new BadRequestException('reminders must be due in the years 1 to 9999');
  return reminders;
}
