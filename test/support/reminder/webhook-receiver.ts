import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

export type ReceivedWebhook = {
  /** Which call it is, from 1. */
  number: number;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Of `performance.now()`. */
  receivedAt: number;
};

/** A real receiver of webhooks that keeps what it is sent, and answers as it is told. */
export class WebhookReceiver {
  readonly calls: ReceivedWebhook[] = [];

  private constructor(private readonly server: Server) {}

  /** @param answer writes the status and headers of the answer to a call */
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

  /** The variables with which the service sends its webhooks here. */
  get variables(): { REMINDER_WEBHOOK_URL: string; REMINDER_WEBHOOK_SECRET: string } {
    const { port } = this.server.address() as AddressInfo;
    return {
      REMINDER_WEBHOOK_URL: `http://127.0.0.1:${port}/reminders`,
      REMINDER_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    };
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
