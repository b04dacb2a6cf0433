import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../process/service-process.js';

type FiringAlert = { labels: Record<string, string>; annotations: Record<string, string> };

/** Replaces the `for` duration of the alert rules, which is several minutes in production. */
const ALERT_FOR = '4s';

/** A Prometheus server (Debian package) with the alert rules of `monitoring/`. */
export class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
    private readonly url: string,
  ) {}

  /** @param targets `host:port` of each endpoint to scrape every two seconds */
  static async start(targets: readonly string[]): Promise<Prometheus> {
    const directory = mkdtempSync(join(tmpdir(), 'prometheus-'));
    const rules = readFileSync('monitoring/alerts.yml', 'utf8').replaceAll(/\bfor: \d+m/g, `for: ${ALERT_FOR}`);
    writeFileSync(join(directory, 'alerts.yml'), rules);
    writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(toConfiguration(targets)));
    const address = `127.0.0.1:${await findFreePort()}`;
    const words = [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${address}`,
    ];
    return new Prometheus(spawn('prometheus', words, { stdio: 'ignore' }), directory, `http://${address}`);
  }

  /** Waits for an alert. @returns undefined if it does not fire in time */
  async waitForFiringAlert(
    alert: string,
    instance: string | undefined,
    milliseconds: number,
  ): Promise<FiringAlert | undefined> {
    const deadline = performance.now() + milliseconds;
    while (performance.now() < deadline) {
      const found = (await this.readAlerts()).find(
        ({ state, labels }) =>
          state === 'firing' &&
          labels['alertname'] === alert &&
          (instance === undefined || labels['instance'] === instance),
      );
      if (found !== undefined) return found;
      await delay(500);
    }
    return undefined;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.kill('SIGKILL')) await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async readAlerts(): Promise<(FiringAlert & { state: string })[]> {
    // The server needs some time to start.
    const response = await fetch(`${this.url}/api/v1/alerts`).catch(() => undefined);
    if (response === undefined || !response.ok) return [];
    return ((await response.json()) as { data: { alerts: (FiringAlert & { state: string })[] } }).data.alerts;
  }
}

/** Returns the configuration as JSON, which is valid YAML. */
function toConfiguration(targets: readonly string[]): object {
  return {
    global: { scrape_interval: '2s', evaluation_interval: '2s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [{ job_name: 'care-scheduling', static_configs: [{ targets }] }],
  };
}
