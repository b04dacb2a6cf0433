import { createClient, isProblem } from '@care-scheduling/client';

/* A walk through the service with the typed client, in Node or in a browser. docs/client.md shows how to run it. */

export type Setting = {
  baseUrl: string;
  /** Access tokens of a Clinic, of one of its Care Providers, and of a Client of that Care Provider. */
  tokens: { clinic: string; careProvider: string; client: string };
  clientId: number;
  bookId: number;
  log: (line: string) => void;
};

export async function walkThrough({ baseUrl, tokens, clientId, bookId, log }: Setting): Promise<void> {
  // The methods are grouped by the role of the token. A token can also be a function that gets one: it is called again when a token has expired.
  const { clinic } = createClient({ baseUrl, token: tokens.clinic });
  const { careProvider } = createClient({ baseUrl, token: () => Promise.resolve(tokens.careProvider) });
  const { client } = createClient({ baseUrl, token: tokens.client });

  // The Clinic creates a plan of two weeks. The client sends an `Idempotency-Key`, so that a retry creates no second plan.
  const week = { assignments: [{ bookId, assignReminds: [{ reminderDay: 2, time: '09:30' }] }] };
  const plan = await clinic.createDesignPlan({
    body: { planName: 'Better sleep', appointmentTitle: 'Sleep session', weeks: [week, week] },
  });

  // A dry run returns the Sessions of the plan without storing them.
  const request = { id: plan.id, body: { clientId, date: '2027/07/05', time: '09:30' } };
  const preview = await careProvider.applyDesignPlan({ ...request, dryRun: true });
  log(`planned: ${preview.sessions.map(({ date, time }) => `${date} ${time}`).join(', ')}`);
  const { seriesId } = await careProvider.applyDesignPlan(request);
  if (seriesId === null) throw new Error('Only a dry run has no series.');

  // `for await` reads all pages of a list.
  for await (const session of careProvider.listSessions({ seriesId, from: '2027-07-05T00:00:00Z' }))
    log(`${session.date} ${session.time} ${session.title}, ${session.status}`);

  // One call has all that a week board shows: names, local times, homework and its progress, overlaps and reminders.
  const board = await careProvider.getWeek({ from: '2027-07-05' });
  for (const { localStart, client: person, title, progress } of board.sessions)
    log(`${localStart.date} ${localStart.time} ${person.name}: ${title}, ${progress.done} of ${progress.total} done`);

  // Move the second Session onto the first. With `conflicts: 'reject'` the overlap is an error, and nothing is changed.
  const [first, second] = (await careProvider.listSessions({ seriesId })).items;
  if (!first || !second) throw new Error('The plan has two weeks.');
  const { id } = second;
  try {
    await careProvider.changeSession({ id, ifMatch: second, conflicts: 'reject', body: { date: first.date } });
  } catch (error) {
    if (!isProblem(error, 'schedule-conflict')) throw error;
    log(`${error.conflictCount} overlap with a Session at ${error.conflicts[0]?.otherStartsAt}`);
  }

  // `ifMatch` takes the record that was read. After a change by another caller, the answer is `precondition-failed`.
  await careProvider.changeSession({ id, ifMatch: second, body: { time: '11:00' } });
  const moved = await careProvider.getSession({ id });
  log(`moved to ${moved.date} ${moved.time}`);

  const cancelled = await careProvider.cancelSession({ id, body: { reason: 'CLIENT_REQUEST' } });
  log(`cancelled: ${cancelled.sessions.map(({ date, status }) => `${date} ${status}`).join(', ')}`);

  // The Client does the homework of the first Session.
  for await (const homework of client.listHomework()) {
    if (homework.sessionId !== first.id) continue;
    const done = await client.completeHomework({ id: homework.id });
    log(`homework due ${done.dueDate}: ${done.completedAt === null ? 'to do' : 'done'}`);
  }
}
