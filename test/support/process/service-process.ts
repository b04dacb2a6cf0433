import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { TEST_JWT_SECRET, waitFor } from '../app/test-app.js';
import { nodeVariables } from './node-variables.js';

const ENTRY = 'dist/src/main.js';

/** Time after which a line has left the process, in milliseconds. The process writes lines together, after at most 100 ms. */
const LOG_DELAY_MS = 300;

/** An account of the operating system that is not the one of the tests. Only root can start processes as another one. */
export type Account = { uid: number; gid: number };

/** A process of the built service, as it runs in production. */
export class ServiceProcess {
  /** IDs of the messages of delivered reminders, read from the log, in order. */
  readonly deliveredMessageIds: string[] = [];
  /** All lines of the log. */
  readonly logLines: string[] = [];
  stderr = '';
  exitCode: number | null | undefined;
  private readonly child: ChildProcess;
  private readonly lines: Interface;

  private constructor(
    readonly port: number,
    environment: Record<string, string>,
    account: Account | undefined,
  ) {
    this.child = spawn(process.execPath, [ENTRY], {
      ...account,
      env: {
        ...nodeVariables(),
        PORT: String(port),
        JWT_SECRET: TEST_JWT_SECRET,
        REMINDER_CRON: '* * * * * *',
        // The queue uses the shortest intervals that it allows, because crash tests wait for them.
        ...{ QUEUE_HEARTBEAT: 'PT10S', QUEUE_SUPERVISION: 'PT1S', QUEUE_POLLING: 'PT0.5S' },
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // The event is 'close' rather than 'exit', because the last output may still be in the pipe when the process exits.
    this.child.on('close', (code) => (this.exitCode = code));
    this.child.stderr!.on('data', (chunk) => (this.stderr += String(chunk)));
    this.lines = createInterface(this.child.stdout!).on('line', (line) => {
      this.logLines.push(line);
      // The last line of a killed process may be incomplete and is ignored.
      if (!line.includes('"reminder.delivered"') || !line.endsWith('}')) return;
      this.deliveredMessageIds.push((JSON.parse(line) as { messageId: string }).messageId);
    });
  }

  /** Starts a process without waiting for it. */
  static async launch(environment: Record<string, string>, account?: Account): Promise<ServiceProcess> {
    return new ServiceProcess(Number(environment['PORT'] ?? (await findFreePort())), environment, account);
  }

  /** Starts a process and waits until it is ready. */
  static async start(environment: Record<string, string>, account?: Account): Promise<ServiceProcess> {
    const instance = await ServiceProcess.launch(environment, account);
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
      // Starting a process takes some seconds, and much longer on a busy machine.
    });
  }

  /** Sends a signal that does not end the process. */
  sendSignal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Returns everything that the process has logged so far, including the lines that it has not written yet. */
  async readLog(): Promise<string> {
    await delay(LOG_DELAY_MS);
    return [...this.logLines, this.stderr].join('\n');
  }

  /** Stops reading the log. Once the pipe is full, the process blocks when it writes. */
  pauseLogReading(): void {
    this.lines.pause();
  }

  /** Ends the process with a signal. Returns its exit code once the whole log has been read. */
  async terminate(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null> {
    if (this.exitCode === undefined) this.child.kill(signal);
    return this.waitForExit();
  }

  /** Ends the process with SIGTERM. Fails with the end of the log if it does not exit with 0. */
  async stop(): Promise<void> {
    const code = await this.terminate('SIGTERM');
    if (code === 0) return;
    const lines = this.logLines.filter((line) => !line.includes('"reminder.delivered"')).slice(-20);
    throw new Error([`The service exited with ${code}:`, ...lines, this.stderr].join('\n'));
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
