import { ServiceProcess } from './service-process.js';

/** Processes of the built service on one database. */
export class ServiceFleet {
  readonly instances: ServiceProcess[] = [];
  private requestCount = 0;

  constructor(private readonly variables: Record<string, string>) {}

  /** One more, as soon as it is ready. */
  async add(variables: Record<string, string> = {}): Promise<ServiceProcess> {
    const instance = await ServiceProcess.launch({ LOG_LEVEL: 'error', ...this.variables, ...variables });
    this.instances.push(instance);
    await instance.waitUntilReady();
    return instance;
  }

  /** Takes one of them out, whichever it is. */
  removeRandom(): ServiceProcess {
    return this.instances.splice(Math.floor(Math.random() * this.instances.length), 1)[0]!;
  }

  /** The address of each of them in turn, dead or alive. */
  nextUrl(): string {
    this.requestCount += 1;
    return this.instances[this.requestCount % this.instances.length]!.url;
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.splice(0).map((instance) => instance.terminate('SIGKILL')));
  }
}
