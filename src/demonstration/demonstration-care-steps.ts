import { Injectable } from '@nestjs/common';
import { createDesignPlanSchema, DesignPlanService } from '../design-plan/index.js';
import {
  applyPlanSchema,
  createSessionsSchema,
  HomeworkService,
  ApplyPlanService,
  SeriesService,
  SessionBookingService,
  SessionLifecycleService,
} from '../session/index.js';
import type { CareProviderPrincipal, ClinicPrincipal } from '../shared/access/index.js';
import type { SLEEP_PLAN } from './demonstration-plans.js';
import { createClientCaller, type DemonstrationStep } from './demonstration-step.js';

const CLINIC = '/gateway/profile/clinic';
const CARE_PROVIDER = '/gateway/profile/caregiver';
const endsReminders = true;
const OPTIONS = { conflicts: 'report', dryRun: false } as const;

/** Request bodies as callers send them. The zod schemas fill in the defaults. */
type Booking = { clientId: number; [field: string]: unknown };
type Plan = typeof SLEEP_PLAN;

/** Creates the steps of the demonstration that call the services for plans, Sessions and homework. */
@Injectable()
export class DemonstrationCareSteps {
  constructor(
    private readonly plans: DesignPlanService,
    private readonly applications: ApplyPlanService,
    private readonly bookings: SessionBookingService,
    private readonly lifecycle: SessionLifecycleService,
    private readonly series: SeriesService,
    private readonly homework: HomeworkService,
  ) {}

  createPlan(at: Temporal.Instant, caller: ClinicPrincipal, plan: Plan): DemonstrationStep {
    const request = createDesignPlanSchema.parse(plan);
    const run = async () => [`design-plan/${await this.plans.createPlan(caller, request)}`];
    return { at, caller, operation: `POST ${CLINIC}/design-plan`, run };
  }

  bookSessions(
    at: Temporal.Instant,
    caller: CareProviderPrincipal,
    booking: Booking,
    keepSeriesId: (id: string) => void = () => undefined,
  ): DemonstrationStep {
    const run = async () => {
      const request = createSessionsSchema.parse(booking);
      const { seriesId, sessionIds } = await this.bookings.createSessions(caller, request, 'report');
      keepSeriesId(seriesId);
      return [...sessionIds.map((id) => `session/${id}`), `client/${booking.clientId}`];
    };
    return { at, caller, operation: `POST ${CARE_PROVIDER}/session`, run };
  }

  applyPlan(at: Temporal.Instant, caller: CareProviderPrincipal, planId: number, first: Booking): DemonstrationStep {
    const run = async () => {
      const request = applyPlanSchema.parse({ ...first, reminders: ['-P1D', '-PT2H'] });
      const { sessions } = await this.applications.applyPlan(caller, planId, request, OPTIONS);
      return [`design-plan/${planId}`, ...sessions.map(({ id }) => `session/${id}`), `client/${first.clientId}`];
    };
    return { at, caller, operation: `POST ${CARE_PROVIDER}/design-plan/{id}/apply`, run };
  }

  completeSession(
    at: Temporal.Instant,
    caller: CareProviderPrincipal,
    sessionId: number,
    clientId: number,
  ): DemonstrationStep {
    const run = async () => {
      await this.lifecycle.complete(caller, sessionId);
      return [`session/${sessionId}`, `client/${clientId}`];
    };
    return { at, caller, operation: `POST ${CARE_PROVIDER}/session/{id}/complete`, endsReminders, run };
  }

  /** Creates the step in which Client 1 completes homework. */
  completeHomework(at: Temporal.Instant, id: number): DemonstrationStep {
    const run = async () => {
      await this.homework.complete(createClientCaller(1), id);
      return [`homework/${id}`, 'client/1'];
    };
    return {
      at,
      caller: createClientCaller(1),
      operation: 'POST /gateway/profile/client/homework/{id}/complete',
      endsReminders,
      run,
    };
  }

  replacePlan(
    at: Temporal.Instant,
    caller: ClinicPrincipal,
    id: number,
    seenVersion: number,
    plan: Plan,
  ): DemonstrationStep {
    const request = createDesignPlanSchema.parse(plan);
    const run = async () => {
      await this.plans.replacePlan(caller, id, seenVersion, request);
      return [`design-plan/${id}`];
    };
    return { at, caller, operation: `PUT ${CLINIC}/design-plan/{id}`, run };
  }

  markNoShow(at: Temporal.Instant, caller: CareProviderPrincipal, id: number, clientId: number): DemonstrationStep {
    const run = async () => {
      await this.lifecycle.markNoShow(caller, id);
      return [`session/${id}`, `client/${clientId}`];
    };
    return { at, caller, operation: `POST ${CARE_PROVIDER}/session/{id}/no-show`, endsReminders, run };
  }

  cancelSession(at: Temporal.Instant, caller: ClinicPrincipal, id: number, clientId: number): DemonstrationStep {
    const run = async () => {
      const cancellation = { reason: 'CLIENT_REQUEST', note: 'On holiday' } as const;
      await this.lifecycle.cancel(caller, id, cancellation, { ...OPTIONS, scope: 'this' });
      return [`session/${id}`, `client/${clientId}`];
    };
    return { at, caller, operation: `POST ${CLINIC}/session/{id}/cancel`, endsReminders, run };
  }

  /** @param seriesId returns the ID of the series to pause; called when the step runs */
  pauseSeries(
    at: Temporal.Instant,
    caller: ClinicPrincipal,
    seriesId: () => string,
    clientId: number,
  ): DemonstrationStep {
    const run = async () => {
      await this.series.pause(caller, seriesId(), OPTIONS);
      return [`series/${seriesId()}`, `client/${clientId}`];
    };
    return { at, caller, operation: `POST ${CLINIC}/series/{seriesId}/pause`, endsReminders, run };
  }

  /** Creates a step that calls no service. Only the audit entry of a read is written. */
  readSession(at: Temporal.Instant, caller: CareProviderPrincipal, id: number, clientId: number): DemonstrationStep {
    const run = async () => [`session/${id}`, `client/${clientId}`];
    return { at, caller, operation: `GET ${CARE_PROVIDER}/session/{id}`, run };
  }
}
