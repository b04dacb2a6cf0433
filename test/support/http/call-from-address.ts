import { request } from 'node:http';
import type { TestApp } from '../app/test-app.js';

export type From = { address?: string; headers?: Record<string, string>; path?: string; method?: string };
export type Reply = { status: number; headers: Record<string, string>; body: string };

/** Calls from an address of this machine's own: all of 127.0.0.0/8 are. */
export function callFrom(world: TestApp, { address = '127.0.0.1', headers = {}, path = '/', method = 'GET' }: From) {
  return new Promise<Reply>((resolve, reject) => {
    const target = new URL(path, world.url);
    const outgoing = request(target, { method, headers, localAddress: address, agent: false }, (incoming) => {
      let body = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode!, headers: incoming.headers as Record<string, string>, body });
      });
    });
    outgoing.on('error', reject).end();
  });
}
