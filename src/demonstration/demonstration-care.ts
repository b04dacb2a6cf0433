import { Injectable } from '@nestjs/common';
import { DemonstrationCareSteps } from './demonstration-care-steps.js';
import { ACTIVITY_PLAN, SLEEP_PLAN } from './demonstration-plans.js';
import {
  createCareProviderCaller,
  createClinicCaller,
  DemonstrationCalendar,
  type DemonstrationStep,
} from './demonstration-step.js';

/**
 * Plans, Sessions and homework of the demonstration. The IDs depend on the order of the steps: Session 1 is in no plan,
 * 2 to 9 are the weeks of plan 1, 10 to 16 belong to Client 2, 17 to 21 to Client 3, 22 to 29 to Client 4.
 */
@Injectable()
export class DemonstrationCare {
  /** The series of Client 3, which is paused later. */
  private seriesIdOfClient3 = '';

  constructor(private readonly steps: DemonstrationCareSteps) {}

  listSteps(now: Temporal.Instant): DemonstrationStep[] {
    const north = new DemonstrationCalendar('Europe/London', now);
    const west = new DemonstrationCalendar('America/Los_Angeles', now);
    return [
      ...this.listPlans(north, west),
      ...this.listSeriesOfClient1(north),
      ...this.listSessionsOfClient2(north),
      ...this.listSeriesOfClient3(north),
      ...this.listSeriesOfClient4(west),
    ];
  }

  private listPlans(north: DemonstrationCalendar, west: DemonstrationCalendar): DemonstrationStep[] {
    const caller = createClinicCaller(1);
    const shorter = { ...ACTIVITY_PLAN, planName: 'Two weeks of activity', weeks: ACTIVITY_PLAN.weeks.slice(0, 2) };
    return [
      this.steps.createPlan(north.toInstant(-35, '10:00'), caller, SLEEP_PLAN),
      this.steps.createPlan(north.toInstant(-35, '10:20'), caller, ACTIVITY_PLAN),
      this.steps.replacePlan(north.toInstant(-35, '10:40'), caller, 2, 1, shorter),
      this.steps.createPlan(west.toInstant(-35, '09:00'), createClinicCaller(2), { ...SLEEP_PLAN, caregiverId: 3 }),
    ];
  }

  /**
   * The series contains Sessions of every status: completed, no-show, cancelled and upcoming. The outcome of Session 1
   * has not been recorded yet.
   */
  private listSeriesOfClient1(north: DemonstrationCalendar): DemonstrationStep[] {
    const caller = createCareProviderCaller(1);
    const review = { clientId: 1, title: 'Progress review', date: north.formatDateFromToday(-1), time: '15:00' };
    return [
      this.steps.bookSessions(north.toInstant(-34, '09:00'), caller, {
        ...review,
        bookIdList: [1],
        reminders: ['-P1D'],
      }),
      this.steps.applyPlan(north.toInstant(-34, '09:30'), caller, 1, {
        clientId: 1,
        date: north.formatDate(-28),
        time: '10:00',
      }),
      this.steps.completeSession(north.toInstant(-28, '10:55'), caller, 2, 1),
      this.steps.completeHomework(north.toInstant(-26, '19:10'), 2),
      this.steps.completeHomework(north.toInstant(-25, '20:15'), 3),
      this.steps.completeSession(north.toInstant(-21, '10:52'), caller, 3, 1),
      this.steps.completeHomework(north.toInstant(-18, '18:40'), 4),
      this.steps.readSession(north.toInstant(-14, '09:50'), caller, 4, 1),
      this.steps.markNoShow(north.toInstant(-14, '10:30'), caller, 4, 1),
      this.steps.cancelSession(north.toInstant(-10, '08:40'), createClinicCaller(1), 5, 1),
    ];
  }

  private listSessionsOfClient2(north: DemonstrationCalendar): DemonstrationStep[] {
    const caller = createCareProviderCaller(1);
    const series = {
      clientId: 2,
      title: 'Breathing exercises',
      date: north.formatDate(-19),
      time: '09:30',
      sessionCount: 6,
    };
    const overlapping = { clientId: 2, title: 'Talk with the family', date: north.formatDate(0), time: '10:30' };
    // This Session is booked after it has taken place, so its reminders are skipped.
    const call = { clientId: 2, title: 'Call after a bad night', date: north.formatDate(-11), time: '08:00' };
    return [
      this.steps.bookSessions(north.toInstant(-34, '11:00'), caller, {
        ...series,
        bookIdList: [2],
        remindDays: 3,
        reminders: ['-PT2H'],
      }),
      this.steps.bookSessions(north.toInstant(-33, '12:00'), caller, overlapping),
      this.steps.completeSession(north.toInstant(-19, '10:25'), caller, 10, 2),
      this.steps.completeSession(north.toInstant(-12, '10:25'), caller, 11, 2),
      this.steps.bookSessions(north.toInstant(-9, '10:00'), caller, {
        ...call,
        durationMinutes: 20,
        reminders: ['-PT2H'],
      }),
    ];
  }

  private listSeriesOfClient3(north: DemonstrationCalendar): DemonstrationStep[] {
    const caller = createCareProviderCaller(2);
    const series = {
      clientId: 3,
      title: 'Walking and talking',
      date: north.formatDate(-20),
      time: '11:00',
      sessionCount: 5,
    };
    return [
      this.steps.bookSessions(
        north.toInstant(-33, '14:00'),
        caller,
        { ...series, bookIdList: [4, 7], reminders: ['-P1D'] },
        (seriesId) => (this.seriesIdOfClient3 = seriesId),
      ),
      this.steps.completeSession(north.toInstant(-20, '12:00'), caller, 17, 3),
      this.steps.pauseSeries(north.toInstant(-9, '11:00'), createClinicCaller(1), () => this.seriesIdOfClient3, 3),
    ];
  }

  private listSeriesOfClient4(west: DemonstrationCalendar): DemonstrationStep[] {
    const caller = createCareProviderCaller(3);
    return [
      this.steps.applyPlan(west.toInstant(-33, '09:00'), caller, 3, {
        clientId: 4,
        date: west.formatDate(-26),
        time: '16:00',
      }),
      this.steps.completeSession(west.toInstant(-26, '16:55'), caller, 22, 4),
      this.steps.completeSession(west.toInstant(-19, '16:55'), caller, 23, 4),
    ];
  }
}
