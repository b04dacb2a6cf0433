import { MikroORM, type EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ormOptions } from '../../../mikro-orm.config.js';
import type { RawBuilder } from 'kysely';
import { createApplication } from '../../../src/app.setup.js';
import { signToken } from '../../../src/auth/index.js';
import { Book, CareProvider, Client, ClientAssignment, Clinic } from '../../../src/directory/index.js';
import { LogChannel, Reminder, ReminderDispatcher, type ReminderMessage } from '../../../src/reminder/index.js';
import type { Role } from '../../../src/shared/access/index.js';
import type { Environment } from '../../../src/shared/config/env.js';
import { Distribution, FieldEncryption } from '../../../src/shared/persistence/index.js';
import { createTestDatabase, type TestDatabase } from '../database/test-database.js';
import { PUBLIC_URL, TEST_JWT_SECRET, testEnvironment } from './test-environment.js';
import { createTestKeys, removeTestKeys } from './test-keys.js';
import { TestClock } from './test-clock.js';

export { PUBLIC_URL, TEST_JWT_SECRET, testEnvironment };

export type TestResponse = { status: number; headers: Headers; text: string; body: any }; // eslint-disable-line @typescript-eslint/no-explicit-any -- the type depends on the operation
export type RequestOptions = {
  token?: string;
  body?: unknown;
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

/** The whole application, listening on a free port, with a database of its own. */
export class TestApp {
  readonly clock = new TestClock();
  /** The messages that the log channel has delivered, in order. */
  readonly deliveredMessages: ReminderMessage[] = [];
  nest!: NestFastifyApplication;
  environment!: Environment;
  url!: string;
  private ownerOrm: MikroORM | undefined;
  private dropDatabase!: () => Promise<void>;

  static async start(overrides: Partial<Environment> = {}): Promise<TestApp> {
    return TestApp.startOn(await createTestDatabase(), overrides);
  }

  static async startOn(database: TestDatabase, overrides: Partial<Environment> = {}): Promise<TestApp> {
    const app = new TestApp();
    app.dropDatabase = () => database.drop();
    const encryption = overrides.encryption ?? createTestKeys();
    app.environment = { ...testEnvironment, database: database.environment, ...overrides, encryption };
    app.nest = await createApplication(app.environment, app.clock);
    // With npm run test:citus, a statement of a request that reaches more than one shard fails.
    const { transactionSettings } = Distribution.of(app.nest.get(MikroORM).config);
    transactionSettings['citus.multi_task_query_log_level'] = 'error';
    await app.nest.listen({ port: 0, host: '127.0.0.1' });
    app.url = await app.nest.getUrl();
    app.nest.get(LogChannel).deliver = async (message) => {
      app.deliveredMessages.push(message);
      return {};
    };
    return app;
  }

  async stop(): Promise<void> {
    await this.nest.close();
    await this.ownerOrm?.close();
    await this.dropDatabase();
    removeTestKeys(this.environment.encryption);
  }

  /** Runs `work` in a transaction of the superuser, which ignores row-level security. */
  async asSuperuser<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return (await this.forkAsSuperuser()).transactional(work);
  }

  /** Returns an EntityManager of the superuser, without a transaction. The embedded database has only one at a time. */
  async forkAsSuperuser(): Promise<EntityManager> {
    if (this.environment.database.kind !== 'postgresql')
      return this.nest.get(MikroORM).em.fork({ session: { role: 'postgres' } });
    const encryption = this.nest.get(FieldEncryption);
    if (this.ownerOrm === undefined) {
      this.ownerOrm = await MikroORM.init(
        await ormOptions(this.environment.database, 'owner', undefined, undefined, encryption),
      );
      await Distribution.of(this.ownerOrm.config).load(this.ownerOrm);
    }
    return this.ownerOrm.em.fork();
  }

  /** Runs one statement as the superuser and returns its rows. */
  async queryRows<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
    const { rows } = await this.asSuperuser((em) => statement.execute((em as SqlEntityManager).getKysely()));
    return rows;
  }

  async call(
    method: string,
    path: string,
    { token, body, raw, headers = {} }: RequestOptions = {},
  ): Promise<TestResponse> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `bearer ${token}` }),
        ...(body === undefined && raw === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined && raw === undefined ? {} : { body: raw ?? JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = /\bjson/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? (JSON.parse(text) as unknown) : undefined,
    };
  }

  createToken(role: Role, id?: number): Promise<string> {
    return signToken(testEnvironment.token, { role, id });
  }

  /** Dispatches all due reminders and waits until each has an outcome. Returns how many were due. */
  async deliverDueReminders(): Promise<number> {
    const due = await this.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(async () => (await this.asSuperuser((em) => em.count(Reminder, { status: 'QUEUED' }))) === 0);
    return due;
  }

  /** Creates a Clinic with two Care Providers, three Clients and two Books. Each test uses its own Clinic. */
  async createClinic(timeZone = 'Europe/London'): Promise<ClinicFixture> {
    const now = this.clock.now();
    return this.asSuperuser(async (em) => {
      const clinic = new Clinic({ name: 'Clinic', timeZone }, now);
      await em.persist(clinic).flush();
      const careProviders = ['One', 'Two'].map((name) => new CareProvider(clinic.id, { name }, now));
      const clients = ['One', 'Two', 'Three'].map((name) => new Client(clinic.id, { name }, now));
      const own = new Book(clinic.id, { title: 'Own' }, now);
      const shared = new Book(null, { title: 'Shared' }, now);
      await em.persist<object>([...careProviders, ...clients, own, shared]).flush();
      const [first, second] = careProviders.map((careProvider) => careProvider.id) as [number, number];
      const clientIds = clients.map((client) => client.id) as [number, number, number];
      const assignments = clientIds.map(
        (id, index) => new ClientAssignment(clinic.id, id, index < 2 ? first : second, now),
      );
      await em.persist(assignments).flush();
      return {
        clinicId: clinic.id,
        careProviderIds: [first, second],
        clientIds,
        ownBookId: own.id,
        sharedBookId: shared.id,
        clinicToken: await this.createToken('CLINIC', clinic.id),
        careProviderToken: await this.createToken('CARE_PROVIDER', first),
      };
    });
  }
}

export type ClinicFixture = {
  clinicId: number;
  careProviderIds: [number, number];
  /** IDs of the Clients. The first two are assigned to the first Care Provider, and the third to the second. */
  clientIds: [number, number, number];
  ownBookId: number;
  sharedBookId: number;
  clinicToken: string;
  /** A token of the first Care Provider. */
  careProviderToken: string;
};

/**
 * Polls a condition until it is true.
 *
 * @throws Error if it does not become true in time
 */
export async function waitFor(condition: () => boolean | Promise<boolean>, milliseconds = 180_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${milliseconds} ms: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
