import type { FastifyReply } from 'fastify';

/** A response that can be sent again. Headers that are common to all responses are not included. */
export type CapturedResponse = {
  status: number;
  headers: Readonly<Record<string, HeaderValue>>;
  /** The exact text of the body; absent if there is no body. */
  body?: string;
};

type HeaderValue = string | number | string[] | undefined;

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Captures a handler's response: the status, the headers that the handler set, and its result as text.
 *
 * @param headersBefore the headers before the handler ran
 */
export function captureResponse(
  reply: FastifyReply,
  headersBefore: Readonly<Record<string, HeaderValue>>,
  value: unknown,
): CapturedResponse {
  const { statusCode: status } = reply;
  const set = Object.entries(reply.getHeaders()).filter(([name, header]) => headersBefore[name] !== header);
  const headers = Object.fromEntries(set);
  if (value === undefined) return { status, headers };
  if (typeof value === 'string') return { status, headers, body: value };
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body: JSON.stringify(value) };
}

/** Prepares the reply for a captured response. The caller returns the body to Nest, which sends it. */
export function setStatusAndHeaders(
  reply: FastifyReply,
  { status, headers }: Pick<CapturedResponse, 'status' | 'headers'>,
): void {
  reply.status(status).headers(headers);
}
