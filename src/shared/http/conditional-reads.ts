import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PUBLIC } from '../access/index.js';
import { computeWeakTag, passesIfNoneMatch } from './etag.js';
import { isSafeMethod } from './request-actor.js';

/** Different callers, and different roles of one caller, get different answers from one URL. */
const VARY = 'authorization, acting-role';

/**
 * Answers 304 without a body if `If-None-Match` names the answer that the caller has already (RFC 9110, section
 * 13.1.2). The answer is first made for this caller, with all checks and its audit entry, so a tag opens nothing. Must
 * be registered before the compression.
 */
export function answerConditionalReads(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isTagged = typeof payload === 'string' && isTaggedRead(request, reply);
    done(null, isTagged ? tagResponse(request, reply, payload) : payload);
  });
}

/** Sets the headers, and returns the body, or null for 304. */
function tagResponse(request: FastifyRequest, reply: FastifyReply, body: string): string | null {
  const tag = String(reply.getHeader('etag') ?? computeWeakTag(body));
  const vary = reply.getHeader('vary');
  reply.headers({ etag: tag, vary: vary === undefined ? VARY : `${String(vary)}, ${VARY}` });
  if (passesIfNoneMatch(request, tag)) return body;
  reply.removeHeader('content-type');
  reply.status(304);
  return null;
}

/**
 * Whether the response is JSON that a caller has read. The version of a record is its tag only where it names the whole
 * answer: that of a Session also has overlaps and other records, which change without it.
 */
function isTaggedRead(request: FastifyRequest, reply: FastifyReply): boolean {
  const { access, operation } = request.routeOptions.config;
  if (operation === undefined || access === undefined || access === PUBLIC) return false;
  if (!isSafeMethod(request) || reply.statusCode !== 200) return false;
  if (!String(reply.getHeader('content-type')).startsWith('application/json')) return false;
  return !reply.hasHeader('etag') || operation.isVersionOfAnswer;
}
