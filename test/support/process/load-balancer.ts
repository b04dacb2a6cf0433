import type { ServiceFleet } from './service-fleet.js';

const CHECK_INTERVAL_MS = 250;

/** Selects processes of the fleet in turn, but only those whose last readiness check has succeeded. */
export class LoadBalancer {
  private readyUrls: string[];
  private requestCount = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly fleet: ServiceFleet) {
    this.readyUrls = fleet.instances.map(({ url }) => url);
    this.timer = setInterval(() => void this.checkReadiness(), CHECK_INTERVAL_MS);
  }

  nextUrl(): string {
    this.requestCount += 1;
    const url = this.readyUrls[this.requestCount % this.readyUrls.length];
    if (url === undefined) throw new Error('No process is ready');
    return url;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async checkReadiness(): Promise<void> {
    const urls = this.fleet.instances.map(({ url }) => url);
    const answers = await Promise.all(
      urls.map((url) =>
        fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    this.readyUrls = urls.filter((_, index) => answers[index]);
  }
}
