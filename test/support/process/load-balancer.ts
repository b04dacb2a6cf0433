import type { Fleet } from './service-fleet.js';

const LOOK_MS = 250;

/** Sends to those of a fleet in turn that said at the last look that they are ready. */
export class Balancer {
  private ready: string[];
  private turn = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly fleet: Fleet) {
    this.ready = fleet.instances.map(({ url }) => url);
    this.timer = setInterval(() => void this.look(), LOOK_MS);
  }

  next(): string {
    this.turn += 1;
    const url = this.ready[this.turn % this.ready.length];
    if (url === undefined) throw new Error('Nobody is ready');
    return url;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const urls = this.fleet.instances.map(({ url }) => url);
    const answers = await Promise.all(
      urls.map((url) =>
        fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    this.ready = urls.filter((_, index) => answers[index]);
  }
}
