import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decodeMetrics, decodeSpans, type ReceivedMetric, type ReceivedSpan } from './otlp-messages.js';

/** An OTLP receiver over HTTP with protobuf. It keeps everything that it receives. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly metrics: ReceivedMetric[] = [];
  /** All received bytes as one text, in which tests search for personal data. */
  text = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      void buffer(request).then((body) => {
        receiver.receive(request.url!, body);
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    const receiver = new OtlpReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** Environment variables that make the service send to this receiver at short intervals. */
  get variables(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
    };
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private receive(path: string, body: Buffer): void {
    this.text += body.toString('utf8');
    if (path === '/v1/traces') this.spans.push(...decodeSpans(body));
    else if (path === '/v1/metrics') this.metrics.push(...decodeMetrics(body));
    else throw new Error(`Not a path of OTLP: ${path}`);
  }
}
