import type { SessionModel } from '../../../session/index.js';
import type { SimulationParticipants } from './participants.js';
import type { SimulationOptions } from '../options.js';
import type { InMemoryService } from './in-memory-service.js';

/** An action that a person performs at a certain time. */
export type ScheduledAction = { at: Temporal.Instant; perform(): Promise<unknown> };

const EVENING = Temporal.PlainTime.from('17:45');

/** Creates the actions of all people, sorted by time. The same Sessions and options always give the same actions. */
export function scheduleActions(
  service: InMemoryService,
  participants: SimulationParticipants,
  sessions: readonly SessionModel[],
  options: SimulationOptions,
): ScheduledAction[] {
  const completed = sessions
    .filter(({ position }) => position !== options.cancelledWeek)
    .map(({ id, endsAt }) => ({
      at: Temporal.Instant.from(endsAt),
      perform: () =>
        service.call(participants.careProvider, 'POST', `/gateway/profile/caregiver/session/${id}/complete`),
    }));
  const cancelled = sessions.filter(({ position }) => position === options.cancelledWeek);
  const actions = [
    ...completed,
    ...cancelled.map((session) => scheduleCancellation(service, participants, session)),
    ...scheduleHomework(service, participants, sessions, options),
  ];
  return actions.sort((a, b) => Temporal.Instant.compare(a.at, b.at));
}

/** Schedules the Care Provider's cancellation of the Session for the evening before it. */
function scheduleCancellation(
  service: InMemoryService,
  participants: SimulationParticipants,
  { id, startsAt, timeZone }: SessionModel,
): ScheduledAction {
  const day = Temporal.Instant.from(startsAt).toZonedDateTimeISO(timeZone).toPlainDate().subtract({ days: 1 });
  return {
    at: day.toZonedDateTime({ timeZone, plainTime: EVENING }).toInstant(),
    perform: () =>
      service.call(participants.careProvider, 'POST', `/gateway/profile/caregiver/session/${id}/cancel`, {
        reason: 'CLIENT_REQUEST',
      }),
  };
}

/** Spreads the completed share of the homework evenly over the weeks, on days two to six of each week. */
function scheduleHomework(
  service: InMemoryService,
  participants: SimulationParticipants,
  sessions: readonly SessionModel[],
  { homeworkDone, cancelledWeek }: SimulationOptions,
): ScheduledAction[] {
  const items = sessions
    .filter(({ position }) => position !== cancelledWeek)
    .flatMap(({ homework, date }) => homework.map(({ id }) => ({ id, day: parseDay(date) })));
  const done = items.filter((_, index) => Math.floor((index + 1) * homeworkDone) > Math.floor(index * homeworkDone));
  return done.map(({ id, day }, index) => ({
    at: day
      .add({ days: 1 + ((index * 3) % 5) })
      .toZonedDateTime({ timeZone: participants.clientZone, plainTime: EVENING })
      .toInstant(),
    perform: () => service.call(participants.client, 'POST', `/gateway/profile/client/homework/${id}/complete`),
  }));
}

function parseDay(slashDate: string): Temporal.PlainDate {
  return Temporal.PlainDate.from(slashDate.replaceAll('/', '-'));
}
