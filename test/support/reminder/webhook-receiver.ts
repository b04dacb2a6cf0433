import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;

export type ReceivedWebhook = {
  /** The number of the call, starting at 1. */
  number: number;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The time of the call, in milliseconds of `performance.now()`. */
  receivedAt: number;
};

/** An HTTP server that stores received webhooks. The test determines its responses. */
export class WebhookReceiver {
  readonly calls: ReceivedWebhook[] = [];

  private constructor(private readonly server: Server) {}

  /** @param answer writes the status and the headers of the response to a call */
  static async start(answer: (response: ServerResponse, call: ReceivedWebhook) => unknown): Promise<WebhookReceiver> {
    const server = createServer((request, response) => {
      void text(request).then(async (body) => {
        const { url, headers } = request;
        const call = { number: webhook.calls.length + 1, url: url!, headers, body, receivedAt: performance.now() };
        webhook.calls.push(call);
        await answer(response, call);
        response.end();
      });
    });
    const webhook = new WebhookReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return webhook;
  }

  /** Environment variables that make the service send its webhooks to this server. */
  get variables(): { REMINDER_WEBHOOK_URL: string; REMINDER_WEBHOOK_SECRET: string } {
    const { port } = this.server.address() as AddressInfo;
    return {
      REMINDER_WEBHOOK_URL: `http://127.0.0.1:${port}/reminders`,
      REMINDER_WEBHOOK_SECRET: SECRET,
    };
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
