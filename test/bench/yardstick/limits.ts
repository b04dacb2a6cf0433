import type { FastifyInstance, FastifyReply } from 'fastify';
import type pg from 'pg';
import { ProblemException } from './problem.js';
import type { AuthenticatedCaller } from './token.js';

const PER_MINUTE = 1_000_000_000;
const MINUTE_MS = 60_000;
const AT_WORK = 1_000;
const REVOCATION_MS = 2_000;

type Count = { used: number };

/**
 * The product's checks before a request is processed: the rate limits per address and caller, and the number of
 * requests in progress.
 */
export class RequestLimits {
  private minute = 0;
  private counts = new Map<string, Count>();
  private atWork = 0;
  private revoked: ReadonlySet<unknown> = new Set();

  /** Reads the revoked tokens now, and then at regular intervals. */
  async watchRevoked(pool: pg.Pool): Promise<void> {
    const read = async () => {
      const { rows } = await pool.query<{ jti: string }>('select jti from revoked_token');
      this.revoked = new Set(rows.map(({ jti }) => jti));
    };
    await read();
    setInterval(() => void read().catch(() => undefined), REVOCATION_MS).unref();
  }

  observe(app: FastifyInstance): void {
    app.addHook('preParsing', (request, reply, _payload, done) => {
      this.take('address', request.ip, reply);
      done();
    });
    app.addHook('preHandler', (_request, reply, done) => {
      if (this.atWork >= AT_WORK) throw new ProblemException(503, 'The service is busy.');
      this.atWork += 1;
      reply.raw.once('close', () => (this.atWork -= 1));
      done();
    });
  }

  /** Checks the limits of an authenticated caller. */
  check({ role, id, subject, jti }: AuthenticatedCaller, reply: FastifyReply): void {
    if (this.revoked.has(jti)) throw new ProblemException(401, 'A valid bearer token is required.');
    this.take('caller', `${role} ${id} ${subject}`, reply);
  }

  private take(policy: string, key: string, reply: FastifyReply): void {
    const now = Date.now();
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.counts = new Map();
    }
    const known = this.counts.get(`${policy} ${key}`) ?? { used: 0 };
    known.used += 1;
    this.counts.set(`${policy} ${key}`, known);
    const left = PER_MINUTE - known.used;
    append(reply, 'ratelimit-policy', `"${policy}";q=${PER_MINUTE};w=60`);
    append(reply, 'ratelimit', `"${policy}";r=${left};t=${Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / 1000)}`);
    if (left < 0) throw new ProblemException(429, 'Too many requests.');
  }
}

function append(reply: FastifyReply, name: string, item: string): void {
  const others = reply.getHeader(name);
  reply.header(name, others === undefined ? item : `${String(others)}, ${item}`);
}
