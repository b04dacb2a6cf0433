import type { ReminderWithHistoryModel } from '../../../reminder/index.js';
import type { SeriesChange, SessionModel } from '../../../session/index.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate } from '../../../shared/time/index.js';
import { scheduleActions, type ScheduledAction } from './scheduled-actions.js';
import { prepareParticipants, type Participants } from './participants.js';
import { UsageError, type SimulationOptions } from '../options.js';
import { adaptPlan, collectBookIds, type PlanInput } from './plan-file.js';
import { RequestRefusedError, SimulatedClock, SimulatedService } from './simulated-service.js';
import { listPlannedReminders, type Progress, type SentMessage, type Simulation } from '../simulation.js';

const PLANS = '/gateway/profile/clinic/design-plan';
const BOOKS = '/gateway/profile/clinic/book';
const REMINDERS = '/gateway/profile/clinic/reminder';

type StoredPlan = { id: number; planName: string; weeks: { ordering: number }[] };

/**
 * Plays a plan: creates and applies it, then moves the clock from one event to the next until nothing is left to
 * happen. All that is decided here is what people do; the rest is the service.
 *
 * @throws UsageError for a plan or options that the service refuses
 */
export async function simulate(
  options: SimulationOptions,
  given: PlanInput,
  onProgress: (progress: Progress) => void = () => undefined,
): Promise<Simulation> {
  const service = await SimulatedService.start(new SimulatedClock(computeStart(options)));
  try {
    const cast = await prepareParticipants(service, options);
    const plan = await createPlan(service, cast, given);
    const { planned, sessions } = await applyPlan(service, cast, plan, options);
    const reminders = listPlannedReminders(planned).length;
    await runUntilIdle(service, scheduleActions(service, cast, sessions, options), (finished) => {
      const session = sessions.filter(({ startsAt }) => startsAt <= formatInstant(service.clock.now())).length;
      const now = service.clock.now().toZonedDateTimeISO(cast.clientZone);
      onProgress({ now, session, sessions: sessions.length, finished, reminders });
    });
    return await collectResult(service, cast, plan, planned, options);
  } catch (error) {
    throw error instanceof RequestRefusedError ? new UsageError(`${given.source}: ${error.message}`) : error;
  } finally {
    await service.stop();
  }
}

/** Early enough for every reminder that comes before the first Session, wherever on earth people are. */
function computeStart({ from, remind }: SimulationOptions): Temporal.Instant {
  const firstDay = from.toZonedDateTime({ timeZone: 'UTC', plainTime: '12:00' });
  const reminders = remind.map((duration) => firstDay.subtract(Temporal.Duration.from(duration)));
  const [earliest = firstDay] = reminders.sort((a, b) => Temporal.ZonedDateTime.compare(a, b));
  return earliest.subtract({ days: 2 }).toInstant();
}

async function createPlan(service: SimulatedService, { clinic }: Participants, given: PlanInput): Promise<StoredPlan> {
  const known = new Set((await service.list<{ id: number }>(clinic, BOOKS)).map(({ id }) => id));
  const books = new Map<number, number>();
  for (const bookId of new Set(collectBookIds(given.body))) {
    if (known.has(bookId)) continue;
    books.set(bookId, Number(await service.create(clinic, BOOKS, { title: `Book ${bookId}` })));
  }
  const body = adaptPlan(given.body, books);
  const id = await service.create(clinic, given.isDocument ? `${PLANS}/import` : PLANS, body);
  return service.call<StoredPlan>(clinic, 'GET', `${PLANS}/${id}`);
}

async function applyPlan(service: SimulatedService, cast: Participants, plan: StoredPlan, options: SimulationOptions) {
  if (plan.weeks.length === 0) throw new UsageError('The plan has no weeks.');
  const count = options.weeks ?? plan.weeks.length;
  if (count > plan.weeks.length) throw new UsageError(`--weeks ${count}: the plan has ${plan.weeks.length}.`);
  if ((options.cancelledWeek ?? 0) > count)
    throw new UsageError(`--cancel ${options.cancelledWeek}: of ${count} weeks.`);
  const body = {
    clientId: cast.client.id,
    date: formatSlashDate(options.from),
    time: options.time,
    reminders: options.remind.map((duration) => `-${duration}`),
    toWeek: plan.weeks[count - 1]?.ordering,
  };
  const url = `/gateway/profile/caregiver/design-plan/${plan.id}/apply`;
  const planned = await service.call<SeriesChange>(cast.careProvider, 'POST', `${url}?dryRun=true`, body);
  const { seriesId } = await service.call<SeriesChange>(cast.careProvider, 'POST', url, body);
  return { planned, sessions: await listSessions(service, cast, seriesId!) };
}

function listSessions(
  service: SimulatedService,
  { careProvider }: Participants,
  seriesId: string,
): Promise<SessionModel[]> {
  return service.list<SessionModel>(careProvider, `/gateway/profile/caregiver/session?seriesId=${seriesId}`);
}

/** From one event to the next: somebody does something, or a reminder is due. */
async function runUntilIdle(
  service: SimulatedService,
  acts: ScheduledAction[],
  onFinished: (finished: number) => void,
): Promise<void> {
  let { next: due } = await service.readReminderProgress();
  while (due !== undefined || acts.length > 0) {
    const now = findEarlier(acts[0]?.at, due);
    service.clock.set(now);
    while (acts[0]?.at.equals(now)) await acts.shift()!.perform();
    const { next, settled } = await service.deliverDue();
    due = next;
    onFinished(settled);
  }
}

function findEarlier(one: Temporal.Instant | undefined, other: Temporal.Instant | undefined): Temporal.Instant {
  if (one === undefined || other === undefined) return (one ?? other)!;
  return Temporal.Instant.compare(one, other) <= 0 ? one : other;
}

async function collectResult(
  service: SimulatedService,
  cast: Participants,
  plan: StoredPlan,
  planned: SeriesChange,
  options: SimulationOptions,
): Promise<Simulation> {
  const { clinic, client } = cast;
  const books = await service.list<{ id: number; title: string }>(clinic, BOOKS);
  const ids = (await service.list<{ id: number }>(clinic, REMINDERS)).map(({ id }) => id);
  const reminders: ReminderWithHistoryModel[] = [];
  for (const id of ids) reminders.push(await service.call(clinic, 'GET', `${REMINDERS}/${id}`));
  return {
    planName: plan.planName,
    client: { id: client.id, name: cast.clientName, timeZone: cast.clientZone },
    careProvider: { id: cast.careProvider.id },
    options: { quietHours: options.quietHours, remind: options.remind, homeworkDone: options.homeworkDone },
    bookTitles: Object.fromEntries(books.map(({ id, title }) => [id, title])),
    planned,
    sessions: await service.list<SessionModel>(clinic, '/gateway/profile/clinic/session'),
    reminders,
    messages: service.messages.map(({ at, message }): SentMessage => {
      const { messageId, recipient, text, items } = message;
      const reminderIds = items.map(({ reminderId }) => reminderId);
      return { messageId, at: formatInstant(at), recipient: recipient.kind, subject: text.subject, reminderIds };
    }),
  };
}
