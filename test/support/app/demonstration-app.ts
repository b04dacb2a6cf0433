import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApplication } from '../../../src/app.setup.js';
import { signToken } from '../../../src/auth/index.js';
import type { Role } from '../../../src/shared/access/index.js';
import type { DatabaseEnvironment } from '../../../src/shared/config/env.js';
import type { Clock } from '../../../src/shared/time/index.js';
import { findFreePort } from '../process/service-process.js';
import { createTestDatabase } from '../database/test-database.js';
import { testEnvironment } from './test-environment.js';

/** The service on a fresh embedded database, which creates the demonstration. */
export class DemonstrationApp {
  private constructor(
    readonly nest: NestFastifyApplication,
    readonly url: string,
  ) {}

  /**
   * @param database default: a migrated database in memory
   * @param clock default: the clock that a service on the embedded database has
   */
  static async start(database?: DatabaseEnvironment, clock?: Clock): Promise<DemonstrationApp> {
    const port = await findFreePort();
    const publicUrl = `http://localhost:${port}`;
    const environment = {
      ...testEnvironment,
      publicUrl,
      database: database ?? (await createTestDatabase('embedded')).environment,
    };
    const nest = await createApplication(environment, clock);
    await nest.listen(port, '127.0.0.1');
    return new DemonstrationApp(nest, publicUrl);
  }

  createToken(role: Role): Promise<string> {
    return signToken(testEnvironment.token, { role, ...(role === 'ADMIN' ? {} : { id: 1 }) });
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the type depends on the operation
  async get(path: string, role: Role): Promise<{ status: number; body: any }> {
    const headers = { authorization: `bearer ${await this.createToken(role)}` };
    const response = await fetch(this.url + path, { headers });
    return { status: response.status, body: await response.json() };
  }

  stop(): Promise<void> {
    return this.nest.close();
  }
}
