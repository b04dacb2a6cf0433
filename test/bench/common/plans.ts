import type { EntityManager } from '@mikro-orm/core';
import {
  BadRequestException,
  Body,
  Controller,
  ForbiddenException,
  Get,
  Injectable,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Res,
  UnprocessableEntityException,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DesignPlan, type PlanWeek } from '../../../src/design-plan/index.js';
import { toDesignPlanModel } from '../../../src/design-plan/dto/design-plan-model.js';
import { Book, CareProvider } from '../../../src/directory/index.js';
import { isStorableInstant } from '../../../src/shared/persistence/index.js';
import { parseDateTime, RequestOffset, toInstant } from '../../../src/shared/time/index.js';
import { CurrentRequest, RequireRole, type VerifiedRequest } from './caller.js';
import { CreatePlanDto } from './dto.js';
import { requireClinic, Transactions } from './transactions.js';

@Injectable()
export class PlanService {
  constructor(private readonly transactions: Transactions) {}

  create(request: VerifiedRequest, body: CreatePlanDto, zone: string | undefined): Promise<number> {
    const work = async (em: EntityManager) => {
      const clinic = await requireClinic(em, request.caller.id);
      if (body.clinicId && body.clinicId !== clinic.id) throw new ForbiddenException();
      const weeks = weeksOf(body);
      await requireUsable(em, clinic.id, body.caregiverId || undefined, weeks);
      const written = body.createdDate == null ? undefined : parseDateTime(body.createdDate);
      const createdDate = written ? toInstant(written, zone ?? clinic.timeZone) : Temporal.Now.instant();
      if (!isStorableInstant(createdDate)) throw new BadRequestException('createdDate must be in the years 1 to 9999');
      const data = {
        ...{ planName: body.planName.trim(), createdDate, weeks, template: body.template ?? false },
        ...{ caregiverId: body.caregiverId || undefined, appointmentTitle: nonBlankText(body.appointmentTitle) },
        appointmentDesc: nonBlankText(body.appointmentDesc),
      };
      const plan = new DesignPlan(clinic.id, data, Temporal.Now.instant());
      await em.persist(plan).flush();
      return plan.id;
    };
    return this.transactions.run(request, work, (id) => [`design-plan/${id}`]);
  }

  read(request: VerifiedRequest, id: number): Promise<DesignPlan> {
    return this.transactions.run(request, async (em) => {
      const clinic = await requireClinic(em, request.caller.id);
      const plan = await em.findOne(DesignPlan, { clinicId: clinic.id, id });
      if (plan === null) throw new NotFoundException();
      return plan;
    });
  }
}

@Controller('/gateway/profile/clinic/design-plan')
export class PlanController {
  constructor(private readonly service: PlanService) {}

  @Post()
  @RequireRole('CLINIC')
  async create(
    @CurrentRequest() request: VerifiedRequest,
    @Body() body: CreatePlanDto,
    @RequestOffset() zone: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.header('location', `/design-plan/${await this.service.create(request, body, zone)}`);
  }

  @Get(':id')
  @RequireRole('CLINIC')
  async read(
    @CurrentRequest() request: VerifiedRequest,
    @Param('id', ParseIntPipe) id: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const plan = await this.service.read(request, id);
    void reply.header('etag', `"${plan.version}"`);
    return toDesignPlanModel(plan);
  }
}

/** Returns undefined for blank text, which counts as absent. */
export function nonBlankText(text: string | null | undefined): string | undefined {
  return text == null || text.trim() === '' ? undefined : text;
}

/** Returns the IDs of those Books that the Clinic may use. */
export async function findUsableBooks(
  em: EntityManager,
  clinicId: number,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const where = { id: { $in: [...new Set(ids)] }, $or: [{ clinicId }, { clinicId: null }], active: true };
  return new Set((await em.find(Book, where)).map(({ id }) => id));
}

function weeksOf(body: CreatePlanDto): PlanWeek[] {
  const weeks = (body.weeks ?? []).map(({ name, ordering, assignments }, index): PlanWeek => {
    const place = ordering ?? index + 1;
    const given = (assignments ?? []).map(({ bookId, assignReminds }) => ({
      bookId,
      assignReminds: (assignReminds ?? []).map(({ reminderDay, time }) => ({ reminderDay: reminderDay || 1, time })),
    }));
    return { name: nonBlankText(name) ?? `Week ${place}`, ordering: place, assignments: given };
  });
  if (new Set(weeks.map(({ ordering }) => ordering)).size < weeks.length)
    throw new BadRequestException('weeks must not have the same ordering twice');
  return weeks;
}

async function requireUsable(
  em: EntityManager,
  clinicId: number,
  caregiverId: number | undefined,
  weeks: readonly PlanWeek[],
): Promise<void> {
  const isTheirs =
    caregiverId === undefined || (await em.count(CareProvider, { clinicId, id: caregiverId, active: true })) > 0;
  const bookIds = weeks.flatMap(({ assignments }) => assignments.map(({ bookId }) => bookId));
  const usable = await findUsableBooks(em, clinicId, bookIds);
  if (!isTheirs || bookIds.some((id) => !usable.has(id))) throw new UnprocessableEntityException();
}
