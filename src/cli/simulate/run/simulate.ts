import type { ReminderWithHistoryModel } from '../../../reminder/index.js';
import type { SeriesChange, SessionModel } from '../../../session/index.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate } from '../../../shared/time/index.js';
import { scheduleActions, type ScheduledAction } from './scheduled-actions.js';
import { prepareSimulationParticipants, type SimulationParticipants } from './participants.js';
import { UsageError } from '../../command-line.js';
import type { SimulationOptions } from '../options.js';
import { adaptPlanToDemonstration, collectBookIdsInJson, type SimulatedPlanInput } from './plan-file.js';
import { RequestRefusedError, SimulatedClock, InMemoryService } from './in-memory-service.js';
import {
  listPlannedReminders,
  type SimulationProgress,
  type DeliveredMessage,
  type SimulationResult,
} from '../simulation.js';

const PLANS = '/gateway/profile/clinic/design-plan';
const BOOKS = '/gateway/profile/clinic/book';
const REMINDERS = '/gateway/profile/clinic/reminder';

type StoredPlan = { id: number; planName: string; weeks: { ordering: number }[] };

/**
 * Simulates a plan: creates and applies it, then moves the clock from event to event until no actions or reminders are
 * left. Only the actions of people are scheduled here. Everything else is done by the service.
 *
 * @throws UsageError if the plan or the options are refused
 */
export async function simulatePlan(
  options: SimulationOptions,
  planInput: SimulatedPlanInput,
  onProgress: (progress: SimulationProgress) => void = () => undefined,
): Promise<SimulationResult> {
  const service = await InMemoryService.start(new SimulatedClock(computeStart(options)));
  try {
    const participants = await prepareSimulationParticipants(service, options);
    const plan = await createPlan(service, participants, planInput);
    const { planned, sessions } = await applyPlan(service, participants, plan, options);
    const reminders = listPlannedReminders(planned).length;
    await runUntilIdle(service, scheduleActions(service, participants, sessions, options), (finished) => {
      const session = sessions.filter(({ startsAt }) => startsAt <= formatInstant(service.clock.now())).length;
      const now = service.clock.now().toZonedDateTimeISO(participants.clientZone);
      onProgress({ now, session, sessions: sessions.length, finished, reminders });
    });
    return await collectResult(service, participants, plan, planned, options);
  } catch (error) {
    throw error instanceof RequestRefusedError ? new UsageError(`${planInput.source}: ${error.message}`) : error;
  } finally {
    await service.stop();
  }
}

/** Returns a start time that precedes all reminders for the first Session in any time zone. */
function computeStart({ from, remind }: SimulationOptions): Temporal.Instant {
  const firstDay = from.toZonedDateTime({ timeZone: 'UTC', plainTime: '12:00' });
  const reminders = remind.map((duration) => firstDay.subtract(Temporal.Duration.from(duration)));
  const [earliest = firstDay] = reminders.sort((a, b) => Temporal.ZonedDateTime.compare(a, b));
  return earliest.subtract({ days: 2 }).toInstant();
}

async function createPlan(
  service: InMemoryService,
  { clinic }: SimulationParticipants,
  planInput: SimulatedPlanInput,
): Promise<StoredPlan> {
  const existingIds = new Set((await service.list<{ id: number }>(clinic, BOOKS)).map(({ id }) => id));
  const books = new Map<number, number>();
  for (const bookId of new Set(collectBookIdsInJson(planInput.body))) {
    if (existingIds.has(bookId)) continue;
    books.set(bookId, Number(await service.create(clinic, BOOKS, { title: `Book ${bookId}` })));
  }
  const body = adaptPlanToDemonstration(planInput.body, books);
  const id = await service.create(clinic, planInput.isDocument ? `${PLANS}/import` : PLANS, body);
  return service.call<StoredPlan>(clinic, 'GET', `${PLANS}/${id}`);
}

async function applyPlan(
  service: InMemoryService,
  participants: SimulationParticipants,
  plan: StoredPlan,
  options: SimulationOptions,
) {
  if (plan.weeks.length === 0) throw new UsageError('The plan has no weeks.');
  const count = options.weeks ?? plan.weeks.length;
  if (count > plan.weeks.length) throw new UsageError(`--weeks ${count}: the plan has ${plan.weeks.length}.`);
  if ((options.cancelledWeek ?? 0) > count)
    throw new UsageError(`--cancel ${options.cancelledWeek}: the simulation has ${count} weeks.`);
  const body = {
    clientId: participants.client.id,
    date: formatSlashDate(options.from),
    time: options.time,
    reminders: options.remind.map((duration) => `-${duration}`),
    toWeek: plan.weeks[count - 1]?.ordering,
  };
  const url = `/gateway/profile/caregiver/design-plan/${plan.id}/apply`;
  const planned = await service.call<SeriesChange>(participants.careProvider, 'POST', `${url}?dryRun=true`, body);
  const { seriesId } = await service.call<SeriesChange>(participants.careProvider, 'POST', url, body);
  return { planned, sessions: await listSessions(service, participants, seriesId!) };
}

function listSessions(
  service: InMemoryService,
  { careProvider }: SimulationParticipants,
  seriesId: string,
): Promise<SessionModel[]> {
  return service.list<SessionModel>(careProvider, `/gateway/profile/caregiver/session?seriesId=${seriesId}`);
}

/** Moves the clock to the next action or due reminder and processes it, until none is left. */
async function runUntilIdle(
  service: InMemoryService,
  actions: ScheduledAction[],
  onFinished: (finished: number) => void,
): Promise<void> {
  let { next: due } = await service.readReminderProgress();
  while (due !== undefined || actions.length > 0) {
    const now = findEarlier(actions[0]?.at, due);
    service.clock.set(now);
    while (actions[0]?.at.equals(now)) await actions.shift()!.perform();
    const { next, finished } = await service.deliverDueReminders();
    due = next;
    onFinished(finished);
  }
}

function findEarlier(one: Temporal.Instant | undefined, other: Temporal.Instant | undefined): Temporal.Instant {
  if (one === undefined || other === undefined) return (one ?? other)!;
  return Temporal.Instant.compare(one, other) <= 0 ? one : other;
}

async function collectResult(
  service: InMemoryService,
  participants: SimulationParticipants,
  plan: StoredPlan,
  planned: SeriesChange,
  options: SimulationOptions,
): Promise<SimulationResult> {
  const { clinic, client } = participants;
  const books = await service.list<{ id: number; title: string }>(clinic, BOOKS);
  const ids = (await service.list<{ id: number }>(clinic, REMINDERS)).map(({ id }) => id);
  const reminders: ReminderWithHistoryModel[] = [];
  for (const id of ids) reminders.push(await service.call(clinic, 'GET', `${REMINDERS}/${id}`));
  return {
    planName: plan.planName,
    client: { id: client.id, name: participants.clientName, timeZone: participants.clientZone },
    careProvider: { id: participants.careProvider.id },
    options: { quietHours: options.quietHours, remind: options.remind, homeworkDone: options.homeworkDone },
    bookTitles: Object.fromEntries(books.map(({ id, title }) => [id, title])),
    planned,
    sessions: await service.list<SessionModel>(clinic, '/gateway/profile/clinic/session'),
    reminders,
    messages: service.messages.map(({ at, message }): DeliveredMessage => {
      const { messageId, recipient, text, items } = message;
      const reminderIds = items.map(({ reminderId }) => reminderId);
      return { messageId, at: formatInstant(at), recipient: recipient.kind, subject: text.subject, reminderIds };
    }),
  };
}
