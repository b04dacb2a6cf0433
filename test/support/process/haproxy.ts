import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from './service-process.js';

const CONFIGURATION = 'deploy/proxy/haproxy.cfg';

/** HAProxy (Debian package "haproxy") with the example configuration, in front of two instances or more. */
export class HaProxy {
  static readonly isInstalled = spawnSync('haproxy', ['-v']).status === 0;
  log = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly folder: string,
  ) {
    child.stdout!.on('data', (chunk) => (this.log += String(chunk)));
  }

  static async start(first: string, second: string, ...more: readonly string[]): Promise<HaProxy> {
    const address = `127.0.0.1:${await findFreePort()}`;
    const env = { PATH: process.env['PATH'], PROXY_BIND: address, CARE_1: first, CARE_2: second };
    const folder = mkdtempSync(join(tmpdir(), 'care-haproxy-'));
    const file = join(folder, 'haproxy.cfg');
    // The example ends with the servers of its only backend.
    const servers = more.map((one, index) => `  server care-${index + 3} "${one}"\n`);
    writeFileSync(file, readFileSync(CONFIGURATION, 'utf8') + servers.join(''));
    const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const proxy = new HaProxy(child, `http://${address}`, folder);
    for (let attempt = 1; attempt < 100; attempt += 1) {
      if (
        await fetch(`${proxy.url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return proxy;
      await delay(100);
    }
    throw new Error(`HAProxy does not answer: ${proxy.log}`);
  }

  /**
   * Checks the configuration.
   *
   * @returns the complaints of HAProxy; empty if there are none
   */
  static check(file = CONFIGURATION): string {
    return spawnSync('haproxy', ['-c', '-q', '-f', file], { encoding: 'utf8' }).stderr;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.kill('SIGKILL')) await ended;
    rmSync(this.folder, { recursive: true });
  }
}
