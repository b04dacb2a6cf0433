import { OtlpReceiver } from '../support/operations/otlp-receiver.js';
import type { ReceivedSpan } from '../support/operations/otlp-messages.js';
import { parseSamples } from '../support/operations/metrics.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { WebhookReceiver } from '../support/reminder/webhook-receiver.js';
import { isDistributed } from '../support/database/one-server-tests.js';
import { TestApp, waitFor, type ClinicFixture } from '../support/app/test-app.js';
import { toKeyVariables } from '../support/app/test-keys.js';

/*
 * Tests the traces and metrics that an OTLP receiver gets. The spans of a request, its statements and the delivery of
 * its reminder are linked, and contain no personal data. Without the environment variables, neither the SDK nor an
 * exporter is loaded.
 */

declare const TEST_DATABASE: 'embedded' | 'postgresql';
const itOnce = TEST_DATABASE === 'postgresql' ? it : it.skip;

const SESSION_PATH = '/gateway/profile/caregiver/session';
const CLIENT_PATH = '/gateway/profile/clinic/client';
const CANARY = 'xqcanary';
const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5];

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';

let receiver: OtlpReceiver;
let webhook: WebhookReceiver;
let app: TestApp;
let clinic: ClinicFixture;

beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  webhook = await WebhookReceiver.start((response) => response.writeHead(204));
  app = await TestApp.start({ rawVariables: { ...receiver.variables, ...webhook.variables } });
  // The webhook receiver refuses messages that are older than five minutes, so the clock shows the real time.
  app.clock.set(new Date().toISOString());
  clinic = await app.createClinic();
});
afterAll(async () => {
  await app.stop();
  webhook.stop();
  receiver.stop();
});

const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId);
const named = (name: string, spans = receiver.spans) => spans.filter((span) => span.name === name);
const childrenOf = (parent: ReceivedSpan) =>
  receiver.spans.filter(({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId);

/** Creates a Session with two reminders that are due at once. */
async function createSession(flags: '00' | '01', traceId: string): Promise<void> {
  const body = {
    ...{ clientId: clinic.clientIds[0], title: `${CANARY}Title`, description: `${CANARY}Description` },
    ...{ date: '2100/03/01', time: '09:30', remindDays: 0 },
  };
  const headers = {
    traceparent: `00-${traceId}-${PARENT_ID}-${flags}`,
    ...{ tracestate: `vendor=${CANARY}`, baggage: `name=${CANARY}`, 'user-agent': CANARY },
  };
  const { status } = await app.call('POST', `${SESSION_PATH}?note=${CANARY}`, {
    token: clinic.careProviderToken,
    body,
    headers,
  });
  expect(status).toBe(201);
}

it('joins a request, its statements and the reminders that it caused, as one trace with links', async () => {
  await createSession('01', TRACE_ID);
  await app.deliverDueReminders();
  const findDeliveries = () => receiver.spans.filter(({ kind }) => kind === CONSUMER);
  // The span of a delivery ends after the outcome was written, and thus after the span of the channel.
  await waitFor(() => findDeliveries().length === 2 && spansOf(TRACE_ID).some(({ kind }) => kind === SERVER));
  expect(named('send WEBHOOK')).toHaveLength(2);

  const [request] = spansOf(TRACE_ID).filter(({ kind }) => kind === SERVER) as [ReceivedSpan];
  expect(request).toMatchObject({ name: `POST ${SESSION_PATH}`, parentSpanId: PARENT_ID, isError: false });
  expect(request.service).toBe('care-scheduling');
  expect(request.attributes).toMatchObject({
    ...{ 'http.request.method': 'POST', 'http.route': SESSION_PATH, 'http.response.status_code': 201 },
    ...{ 'scheduling.role': 'CARE_PROVIDER' },
  });
  const [operation] = named('createSessions', childrenOf(request)) as [ReceivedSpan];
  expect(childrenOf(operation).map(({ name }) => name)).toEqual(
    // A distributed database has no statement for rows of two tables.
    expect.arrayContaining([isDistributed ? 'insert session_series' : 'with session_series', 'insert reminder']),
  );
  expect(childrenOf(request).map(({ name }) => name)).toEqual(
    expect.arrayContaining([expect.stringMatching(/audit_entry$/)]),
  );

  const [dispatch] = receiver.spans.filter(({ kind }) => kind === PRODUCER) as [ReceivedSpan];
  expect(childrenOf(dispatch).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['with reminder', expect.stringMatching(/^insert pgboss\.job/)]),
  );
  const deliveries = findDeliveries();
  expect(deliveries).toHaveLength(2);
  for (const delivery of deliveries) {
    expect(delivery.links).toEqual([
      { traceId: TRACE_ID, spanId: operation.spanId },
      { traceId: dispatch.traceId, spanId: dispatch.spanId },
    ]);
    expect(delivery.attributes['scheduling.clinic_id']).toBe(clinic.clinicId);
    const [sent] = named('send WEBHOOK', childrenOf(delivery)) as [ReceivedSpan];
    expect(sent.kind).toBe(CLIENT);
    const continued = webhook.calls.map(({ headers }) => headers['traceparent']);
    expect(continued).toContain(`00-${sent.traceId}-${sent.spanId}-01`);
  }
});

it('contains no personal data: no text of a body, no header, no query, and no value of a statement', async () => {
  const token = clinic.clinicToken;
  expect((await app.call('GET', `${CLIENT_PATH}?name=${CANARY}Name`, { token })).status).toBe(200);
  expect((await app.call('POST', CLIENT_PATH, { token, body: { name: `${CANARY}Client` } })).status).toBe(201);
  expect((await app.call('GET', `/${CANARY}/absent`)).status).toBe(404);
  await waitFor(() => named('GET').length > 0);
  expect(receiver.text).toContain(CLIENT_PATH);
  expect(receiver.text).not.toContain(CANARY);
  const statements = receiver.spans.flatMap(({ attributes }) => attributes['db.query.text'] ?? []);
  expect(statements.length).toBeGreaterThan(10);
  // Texts and numbers in statements are replaced, including the session variables that identify the caller.
  expect(statements.filter((statement) => /'/.test(String(statement)))).toEqual([]);
});

it('records neither a request whose caller does not, nor its reminders', async () => {
  const traceId = '0af7651916cd43dd8448eb211c803100';
  const before = webhook.calls.length;
  await createSession('00', traceId);
  await app.deliverDueReminders();
  expect(webhook.calls.length).toBe(before + 2);
  for (const path of ['/health/live', '/health/ready', '/metrics'])
    expect([path, (await app.call('GET', path)).status]).toEqual([path, 200]);
  // Spans arrive in the order in which they ended, so those of the calls above would be there as well.
  await app.call('GET', CLIENT_PATH, { token: clinic.clinicToken, headers: { traceparent: 'not one' } });
  await waitFor(() => named(`GET ${CLIENT_PATH}`).length === 2);
  expect(spansOf(traceId)).toEqual([]);
  const linked = receiver.spans.flatMap(({ links }) => links).filter((link) => link.traceId === traceId);
  expect(linked).toEqual([]);
  expect(receiver.spans.filter(({ name }) => /health|metrics/.test(name))).toEqual([]);
});

it('sends the metrics of /metrics, with their names, labels and buckets', async () => {
  const scraped = parseSamples((await app.call('GET', '/metrics')).text);
  const route = { method: 'POST', route: SESSION_PATH, status: '201' };
  const count = scraped.find(
    ({ name, labels }) => name === 'http_request_duration_seconds_count' && labels['route'] === SESSION_PATH,
  )!;
  const findRequests = () =>
    receiver.metrics
      .findLast(({ name }) => name === 'http_request_duration_seconds')
      ?.points.find(({ attributes, value }) => attributes['route'] === SESSION_PATH && value === count.value);
  await waitFor(() => findRequests() !== undefined);
  const { attributes, counts, bounds } = findRequests()!;
  expect(attributes).toEqual(route);
  expect([counts.length, counts.reduce((sum, each) => sum + each)]).toEqual([bounds.length + 1, count.value]);
  const names = new Set(scraped.map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')));
  const received = new Set(receiver.metrics.map(({ name }) => name.replace(/_(sum|count)$/, '')));
  expect([...names].filter((name) => !received.has(name))).toEqual([]);
});

/**
 * Source of a module that makes a process write the OpenTelemetry modules that it loads to stderr. The bundle names each
 * module in a comment. prom-client loads the API.
 */
const REPORT_MODULES = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  const loaded = next(url, context);
  const names = Buffer.from(loaded.source ?? '').toString().matchAll(/^\\/\\/ node_modules\\/@opentelemetry\\/(?!api\\/).*$/gm);
  for (const [name] of names) process.stderr.write(name + '\\n');
  return loaded;
} });`;

itOnce('loads nothing of OpenTelemetry without its variables, and sends what is left when it stops', async () => {
  const { database } = app.environment;
  const environment = {
    ...toKeyVariables(app.environment.encryption),
    DATABASE_URL: database.kind === 'postgresql' ? database.url : '',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REPORT_MODULES)}`,
  };
  const own = { ...receiver.variables, OTEL_BSP_SCHEDULE_DELAY: '60000', OTEL_SERVICE_NAME: 'another-name' };
  const [off, on] = await Promise.all([
    ServiceProcess.start(environment),
    ServiceProcess.start({ ...environment, ...own }),
  ]);
  await Promise.all([off, on].map(({ url }) => fetch(`${url}/absent`)));
  expect(await Promise.all([off, on].map((service) => service.terminate('SIGINT')))).toEqual([0, 0]);
  expect(off.stderr).toBe('');
  expect(on.stderr).toContain('@opentelemetry/sdk-trace/');
  expect(receiver.spans.filter(({ service }) => service === 'another-name')).toHaveLength(1);
});
