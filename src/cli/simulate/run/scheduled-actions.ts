import type { SessionModel } from '../../../session/index.js';
import type { Participants } from './participants.js';
import type { SimulationOptions } from '../options.js';
import type { SimulatedService } from './simulated-service.js';

/** What a person does, and when. */
export type ScheduledAction = { at: Temporal.Instant; perform(): Promise<unknown> };

const EVENING = Temporal.PlainTime.from('17:45');

/** All that people do while the plan runs, in the order of time: the same for the same options. */
export function scheduleActions(
  service: SimulatedService,
  cast: Participants,
  sessions: readonly SessionModel[],
  options: SimulationOptions,
): ScheduledAction[] {
  const completed = sessions
    .filter(({ position }) => position !== options.cancelledWeek)
    .map(({ id, endsAt }) => ({
      at: Temporal.Instant.from(endsAt),
      perform: () => service.call(cast.careProvider, 'POST', `/gateway/profile/caregiver/session/${id}/complete`),
    }));
  const cancelled = sessions.filter(({ position }) => position === options.cancelledWeek);
  const acts = [
    ...completed,
    ...cancelled.map((session) => scheduleCancellation(service, cast, session)),
    ...scheduleHomework(service, cast, sessions, options),
  ];
  return acts.sort((a, b) => Temporal.Instant.compare(a.at, b.at));
}

/** The Client calls the day before. */
function scheduleCancellation(
  service: SimulatedService,
  cast: Participants,
  { id, startsAt, timeZone }: SessionModel,
): ScheduledAction {
  const day = Temporal.Instant.from(startsAt).toZonedDateTimeISO(timeZone).toPlainDate().subtract({ days: 1 });
  return {
    at: day.toZonedDateTime({ timeZone, plainTime: EVENING }).toInstant(),
    perform: () =>
      service.call(cast.careProvider, 'POST', `/gateway/profile/caregiver/session/${id}/cancel`, {
        reason: 'CLIENT_REQUEST',
      }),
  };
}

/** The share that is done is spread evenly over the weeks, and over the days two to six of each. */
function scheduleHomework(
  service: SimulatedService,
  cast: Participants,
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
      .toZonedDateTime({ timeZone: cast.clientZone, plainTime: EVENING })
      .toInstant(),
    perform: () => service.call(cast.client, 'POST', `/gateway/profile/client/homework/${id}/complete`),
  }));
}

function parseDay(slashDate: string): Temporal.PlainDate {
  return Temporal.PlainDate.from(slashDate.replaceAll('/', '-'));
}
