import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PUBLIC } from '../access/index.js';
import { addVaryIfCompressible } from './compression.js';
import { computeWeakTag, passesIfNoneMatch } from './etag.js';
import { isSafeMethod } from './request-actor.js';
import { addVary } from './vary.js';

/** The same URL returns different responses to different callers, and to different roles of one caller. */
const VARY = 'authorization, acting-role';
const TAGGED_MEDIA = /^(?:application\/json|text\/calendar)(?:;|$)/;

/**
 * Responds with 304 without a body if `If-None-Match` contains the tag of the current response (RFC 9110, section
 * 13.1.2). The response is always produced first, with all access checks and the audit entry, so knowing a tag gives no
 * access. Must be registered before compression.
 */
export function answerConditionalReads(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isTagged = typeof payload === 'string' && isTaggedRead(request, reply);
    done(null, isTagged ? tagResponse(request, reply, payload) : payload);
  });
}

/** Adds the tag to the response. Returns the body to send, null for a 304. */
function tagResponse(request: FastifyRequest, reply: FastifyReply, body: string): string | null {
  const tag = String(reply.getHeader('etag') ?? computeWeakTag(body));
  reply.header('etag', tag);
  if (request.routeOptions.config.access !== PUBLIC) addVary(reply, VARY);
  if (passesIfNoneMatch(request, tag)) return body;
  // A 304 has the `Vary` of the response that it stands for (RFC 9110, section 15.4.5).
  addVaryIfCompressible(reply, body);
  reply.removeHeader('content-type');
  reply.status(304);
  // For HEAD, Fastify discards the body itself, and requires one.
  return request.method === 'HEAD' ? body : null;
}

/**
 * Whether a response to a read gets a tag or keeps the one that the handler has set. The version of a record is not
 * used as the tag if the response also contains other data: a Session's response includes overlaps, which change
 * without the Session's version.
 */
function isTaggedRead(request: FastifyRequest, reply: FastifyReply): boolean {
  const { access, operation } = request.routeOptions.config;
  if (operation === undefined || access === undefined) return false;
  if (access === PUBLIC && operation.resolveLinkActor === undefined) return false;
  if (!isSafeMethod(request) || reply.statusCode !== 200) return false;
  if (!TAGGED_MEDIA.test(String(reply.getHeader('content-type')))) return false;
  return !reply.hasHeader('etag') || operation.isResponseVersion;
}
