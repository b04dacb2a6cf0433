import { connect } from 'node:net';

/** A response as received. `head` is the part before the empty line. */
export type RawResponse = { status: number; head: string; body: string };

/**
 * Sends bytes unchanged, and returns all responses until the service closes the connection.
 *
 * @param endsItself whether to half-close the connection after the last byte
 * @throws Error if the connection is still open after 20 seconds
 */
export function sendRaw(url: string, bytes: string | Buffer, endsItself = false): Promise<RawResponse[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      if (endsItself) socket.end();
    });
    let text = '';
    socket.setTimeout(20_000, () => {
      socket.destroy();
      reject(new Error(`still open after ${JSON.stringify(text)}`));
    });
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('end', () => socket.end());
    // The service resets the connection if it has not read everything. The event 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(parseResponses(text)));
  });
}

function parseResponses(text: string): RawResponse[] {
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).flatMap((answer) => {
    const [head = '', ...body] = answer.split('\r\n\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
    // `100 Continue` is not a final response.
    return status === undefined || status === '100'
      ? []
      : [{ status: Number(status), head, body: body.join('\r\n\r\n') }];
  });
}
