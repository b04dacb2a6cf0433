import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { TOKEN_VARIABLES } from './database.js';
import { CORE_ASSIGNMENT, cpuMicroseconds, pinToCores } from './machine.js';

/** A program to compare, which serves the operations of all workloads, or of those in `servesWorkload`. */
export type ServiceVariant = {
  name: string;
  title: string;
  entry: string;
  /** Node options. */
  node?: readonly string[];
  serves?: readonly string[];
  /** The database that the program uses. By default, this is the database of the workloads. */
  database?: string;
  environment?: Readonly<Record<string, string>>;
};

export const PRODUCT_VARIANT: ServiceVariant = { name: 'product', title: 'The product', ...readStartCommand() };
export const YARDSTICK_VARIANT: ServiceVariant = {
  name: 'yardstick',
  title: 'Yardstick: Fastify + pg by hand',
  entry: 'dist/test/bench/yardstick/main.js',
};

export const COMMON_VARIANT: ServiceVariant = {
  name: 'common',
  title: 'The common way: class-validator, persist and flush',
  entry: 'dist/test/bench/common/main.js',
  serves: ['plan', 'session', 'sessions', 'get-plan', 'list'],
};

/** Reads from `package.json` how `npm start` starts the service: `exec node <options> <entry>`. */
function readStartCommand(): Pick<ServiceVariant, 'entry' | 'node'> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  const words = scripts.start.split(' ');
  return { entry: words.at(-1)!, node: words.slice(2, -1) };
}

export function servesWorkload({ serves }: ServiceVariant, workload: string): boolean {
  return serves === undefined || serves.includes(workload);
}

const START_MS = 180_000;

type StartOptions = {
  /** More Node options, for example for the profiler. */
  node?: string[];
  environment?: Record<string, string>;
  cores?: string;
};

/** All running processes. They are killed if the benchmark is interrupted, even if they are paused. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** One process of a variant, on the core reserved for it. It is paused while it is not measured. */
export class ServerProcess {
  private stderr = '';
  private readonly exit: Promise<unknown>;

  private constructor(
    readonly variant: ServiceVariant,
    readonly port: number,
    private readonly child: ChildProcess,
  ) {
    child.stderr!.on('data', (chunk) => (this.stderr += String(chunk)));
    running.add(child);
    this.exit = new Promise((resolve) => child.once('exit', resolve)).then(() => running.delete(child));
  }

  static async start(
    variant: ServiceVariant,
    databaseUrl: string,
    { node = [], environment = {}, cores = CORE_ASSIGNMENT?.server }: StartOptions = {},
  ): Promise<ServerProcess> {
    const port = await freePort();
    const child = spawn(process.execPath, [...(variant.node ?? []), ...node, variant.entry], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        // Disables encryption, because the yardstick does not encrypt. `--only encryption` measures its costs.
        ENCRYPTION: 'off',
        PORT: String(port),
        DATABASE_URL: databaseUrl,
        ...TOKEN_VARIABLES,
        // Jobs must not disturb measurements: no reminder is due, and the audit trail is not sealed during the run.
        REMINDER_CRON: '0 0 0 1 1 *',
        AUDIT_CRON: '0 0 0 1 1 *',
        // The limits are high enough that no request is refused.
        RATE_LIMIT_PER_CALLER: '1000000000',
        RATE_LIMIT_PER_ADDRESS: '1000000000',
        ...variant.environment,
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const server = new ServerProcess(variant, port, child);
    pinToCores(server.pid, cores);
    await server.ready();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** CPU time of the process, in microseconds. */
  get cpu(): number {
    return cpuMicroseconds(this.pid);
  }

  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.resume();
    this.child.kill('SIGTERM');
    await this.exit;
  }

  private async ready(): Promise<void> {
    for (const begin = performance.now(); performance.now() - begin < START_MS;) {
      if (this.child.exitCode !== null) break;
      const answer = await fetch(`${this.url}/health/ready`).catch(() => undefined);
      if (answer?.status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${this.variant.title} does not start: ${this.stderr}`);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
