import { request } from 'node:http';

export type AddressedRequest = { address?: string; headers?: Record<string, string>; path?: string; method?: string };
type TextResponse = { status: number; headers: Record<string, string>; body: string };

/**
 * Sends a request to the application, or to a proxy in front of it, from the given loopback address. Any address in
 * 127.0.0.0/8 can be used.
 */
export function callFromAddress(
  app: { url: string },
  { address = '127.0.0.1', headers = {}, path = '/', method = 'GET' }: AddressedRequest,
) {
  return new Promise<TextResponse>((resolve, reject) => {
    const target = new URL(path, app.url);
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
