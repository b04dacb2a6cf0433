import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { TEST_JWT_SECRET, waitFor } from '../app/test-app.js';

const ENTRY = 'dist/src/main.js';

/** One process of the built service, as it runs in production. */
export class ServiceProcess {
  /** Message ids of the reminders that its log says are delivered, in order. */
  readonly deliveredMessageIds: string[] = [];
  /** All lines of its log. */
  readonly logLines: string[] = [];
  stderr = '';
  exitCode: number | null | undefined;
  private readonly child: ChildProcess;
  private readonly lines: Interface;

  private constructor(
    readonly port: number,
    environment: Record<string, string>,
  ) {
    this.child = spawn(process.execPath, [ENTRY], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        PORT: String(port),
        JWT_SECRET: TEST_JWT_SECRET,
        REMINDER_CRON: '* * * * * *',
        // As soon as the queue allows: tests of crashes wait for it.
        ...{ QUEUE_HEARTBEAT: 'PT10S', QUEUE_SUPERVISION: 'PT1S', QUEUE_POLLING: 'PT0.5S' },
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Not 'exit': what the process wrote last may still be in the pipe.
    this.child.on('close', (code) => (this.exitCode = code));
    this.child.stderr!.on('data', (chunk) => (this.stderr += String(chunk)));
    this.lines = createInterface(this.child.stdout!).on('line', (line) => {
      this.logLines.push(line);
      // The last line of a process that was killed may be cut.
      if (!line.includes('"reminder.delivered"') || !line.endsWith('}')) return;
      this.deliveredMessageIds.push((JSON.parse(line) as { messageId: string }).messageId);
    });
  }

  /** Starts a process without waiting for it. */
  static async launch(environment: Record<string, string>): Promise<ServiceProcess> {
    return new ServiceProcess(Number(environment['PORT'] ?? (await findFreePort())), environment);
  }

  /** Starts a process and waits until it is ready. */
  static async start(environment: Record<string, string>): Promise<ServiceProcess> {
    const instance = await ServiceProcess.launch(environment);
    await instance.waitUntilReady();
    return instance;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async waitUntilReady(): Promise<void> {
    await waitFor(async () => {
      if (this.exitCode !== undefined) throw new Error(`The service ended: ${this.stderr}`);
      return fetch(`${this.url}/health/ready`).then(
        (response) => response.status === 200,
        () => false,
      );
      // A start takes seconds, and on a busy machine many.
    }, 120_000);
  }

  /** Sends a signal that does not end the process. */
  sendSignal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Does not read its log from now on: what the process writes fills the pipe, and then has to wait. */
  pauseLogReading(): void {
    this.lines.pause();
  }

  /** Ends the process with a signal and returns its exit code, when its whole log has been read. */
  async terminate(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null> {
    if (this.exitCode === undefined) this.child.kill(signal);
    return this.waitForExit();
  }

  async waitForExit(): Promise<number | null> {
    await waitFor(() => this.exitCode !== undefined);
    return this.exitCode!;
  }
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
