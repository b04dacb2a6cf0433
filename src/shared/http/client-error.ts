import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { problem, PROBLEM_JSON } from '../errors/index.js';
import { SPECIFIED_HEADERS } from './headers.js';

/** What Node's HTTP parser refuses before there is a request: still a problem, written by hand. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const status = statusOf(error.code);
  const body = JSON.stringify(problem({ status, detail: 'The request is not valid HTTP, or too large, or too slow.' }));
  const headers = Object.entries({
    ...SPECIFIED_HEADERS,
    'content-type': PROBLEM_JSON,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${headers.join('')}\r\n${body}`);
}

function statusOf(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return 400;
}
