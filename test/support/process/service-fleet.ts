import { ServiceProcess } from './service-process.js';

/** Several processes of the built service on one database. */
export class ServiceFleet {
  readonly instances: ServiceProcess[] = [];
  private requestCount = 0;

  constructor(private readonly variables: Record<string, string>) {}

  /** Starts another process and waits until it is ready. */
  async add(variables: Record<string, string> = {}): Promise<ServiceProcess> {
    const instance = await ServiceProcess.launch({ LOG_LEVEL: 'error', ...this.variables, ...variables });
    this.instances.push(instance);
    await instance.waitUntilReady();
    return instance;
  }

  /** Removes a random process from the fleet and returns it. The process continues to run. */
  removeRandom(): ServiceProcess {
    return this.instances.splice(Math.floor(Math.random() * this.instances.length), 1)[0]!;
  }

  /** Returns the URL of the next process, in turn. The process may have been killed. */
  nextUrl(): string {
    this.requestCount += 1;
    return this.instances[this.requestCount % this.instances.length]!.url;
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.splice(0).map((instance) => instance.terminate('SIGKILL')));
  }
}
