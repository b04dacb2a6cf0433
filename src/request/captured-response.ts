import type { FastifyReply } from 'fastify';

/** An answer as it is sent, apart from the headers that every answer has. */
export type CapturedResponse = {
  status: number;
  headers: Readonly<Record<string, HeaderValue>>;
  /** Exactly what is sent; absent of an answer without a body. */
  body?: string;
};

type HeaderValue = string | number | string[] | undefined;

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * What a handler has answered: its status, the headers it has set, and what it has returned as the text that is sent.
 *
 * @param before the headers from before it ran
 */
export function captureResponse(
  reply: FastifyReply,
  before: Readonly<Record<string, HeaderValue>>,
  value: unknown,
): CapturedResponse {
  const { statusCode: status } = reply;
  const set = Object.entries(reply.getHeaders()).filter(([name, header]) => before[name] !== header);
  const headers = Object.fromEntries(set);
  if (value === undefined) return { status, headers };
  if (typeof value === 'string') return { status, headers, body: value };
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body: JSON.stringify(value) };
}

/** Makes it the answer of the reply, and returns its body for Nest to send. */
export function sendResponse(reply: FastifyReply, { status, headers, body }: CapturedResponse): string | undefined {
  reply.status(status).headers(headers);
  return body;
}
