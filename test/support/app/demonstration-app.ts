import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApplication } from '../../../src/app.setup.js';
import { signToken } from '../../../src/auth/index.js';
import type { Role } from '../../../src/shared/access/index.js';
import type { DatabaseEnvironment, Environment } from '../../../src/shared/config/env.js';
import type { Clock } from '../../../src/shared/time/index.js';
import { findFreePort } from '../process/service-process.js';
import { createTestDatabase } from '../database/test-database.js';
import { testEnvironment } from './test-environment.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the type depends on the operation
type DemonstrationResponse = { status: number; headers: Headers; body: any };

/** Starts the service on a new embedded database, in which it creates the demonstration. */
export class DemonstrationApp {
  private constructor(
    readonly nest: NestFastifyApplication,
    readonly url: string,
    private readonly token: Environment['token'],
  ) {}

  /**
   * @param database by default, a migrated database in memory
   * @param clock by default, the clock that a service on an embedded database has
   * @param change replaces settings of the test environment
   */
  static async start(
    database?: DatabaseEnvironment,
    clock?: Clock,
    change: Partial<Environment> = {},
  ): Promise<DemonstrationApp> {
    const port = await findFreePort();
    const publicUrl = `http://localhost:${port}`;
    const environment = {
      ...testEnvironment,
      publicUrl,
      ...change,
      database: database ?? (await createTestDatabase('embedded')).environment,
    };
    const nest = await createApplication(environment, clock);
    await nest.listen(port, '127.0.0.1');
    return new DemonstrationApp(nest, publicUrl, environment.token);
  }

  createToken(role: Role): Promise<string> {
    return signToken(this.token, { role, ...(role === 'ADMIN' ? {} : { id: 1 }) });
  }

  async get(path: string, role: Role): Promise<DemonstrationResponse> {
    return this.call('GET', path, role);
  }

  async call(
    method: string,
    path: string,
    role: Role,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<DemonstrationResponse> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `bearer ${await this.createToken(role)}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  stop(): Promise<void> {
    return this.nest.close();
  }
}
