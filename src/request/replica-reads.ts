import { EntityManager } from '@mikro-orm/core';
import { HttpException, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Registry } from 'prom-client';
import { ApplicationError } from '../shared/errors/index.js';
import { isReadOnly, isSafeMethod, readConsistencyToken, setConsistencyToken } from '../shared/http/index.js';
import {
  readPrimaryPosition,
  ReplicaDatabase,
  RequestTransaction,
  type Actor,
  type LogPosition,
  type ReplicaFault,
} from '../shared/persistence/index.js';

/** SQLSTATE `read_only_sql_transaction`: a replica has refused a statement that writes. */
const READ_ONLY_TRANSACTION = '25006';

/** The result of a read on the replica; undefined if the primary must serve it. */
type ReplicaResult = { value: unknown } | undefined;
/** Reasons why the primary serves a read that a replica could have served. */
const REASONS = ['unavailable', 'behind', 'failed', 'writes'] as const;
type Reason = (typeof REASONS)[number];
const SERVERS = ['primary', 'replica'] as const;

/**
 * Serves a read from the replica (docs/adr/0015-reads-from-a-replica.md) if the operation allows data that is a few
 * seconds old and the caller has sent the token of their last write. The primary serves all other reads.
 */
@Injectable()
export class ReplicaReads {
  private readonly logger = new Logger(ReplicaReads.name);
  private readonly reads: Counter;
  private readonly fallbacks: Counter;
  /** Routes whose operations are declared as reads but have been found to write. */
  private readonly writing = new Set<string>();

  constructor(
    private readonly em: EntityManager,
    private readonly replica: ReplicaDatabase,
    registry: Registry,
  ) {
    this.reads = new Counter({
      name: 'scheduling_reads_total',
      help: 'Reads that a replica may serve, by the server that has served them. None without a replica.',
      labelNames: ['server'],
      registers: [registry],
    });
    this.fallbacks = new Counter({
      name: 'scheduling_replica_fallbacks_total',
      help: 'Reads that the primary has served, although the caller sent a token for the replica.',
      labelNames: ['reason'],
      registers: [registry],
    });
    if (replica.isConfigured) this.startCounting();
  }

  /**
   * Returns the position of the caller's last write if a replica may serve the request, and undefined otherwise.
   *
   * @throws InvalidRequestError if the token is malformed
   */
  findRequiredPosition(request: FastifyRequest): LogPosition | undefined {
    if (!request.routeOptions.config.operation?.mayBeStale) return undefined;
    const position = readConsistencyToken(request);
    if (!this.replica.isConfigured || !isSafeMethod(request)) return undefined;
    if (position !== undefined && !isSynchronisation(request)) return position;
    this.reads.inc({ server: 'primary' });
    return undefined;
  }

  /**
   * Serves a read from the replica, or returns undefined if the primary must serve it. The handler must not change
   * anything, as it may run again on the primary.
   */
  async tryRead(
    request: FastifyRequest,
    { actor, position: own }: { actor: Actor; position: LogPosition },
    handle: () => Promise<unknown>,
  ): Promise<ReplicaResult> {
    const operation = request.routeOptions.url ?? '';
    try {
      if (this.writing.has(operation)) throw new WritingReadError();
      const position = await this.replica.requirePosition(own);
      const value = await RequestTransaction.run(this.replica.em, { actor, isRead: true, position }, handle);
      this.reads.inc({ server: 'replica' });
      return { value };
    } catch (error) {
      // An error that the caller has caused would also occur on the primary.
      if (error instanceof ApplicationError || error instanceof HttpException) throw error;
      this.reads.inc({ server: 'primary' });
      this.fallbacks.inc({ reason: this.classify(error, operation) });
      return undefined;
    }
  }

  /** Whether the response must contain a consistency token, which holds the log position of the write. */
  returnsPosition(request: FastifyRequest): boolean {
    return this.replica.isConfigured && !isReadOnly(request);
  }

  /** Adds the consistency token of a committed write to the response. */
  async setConsistencyToken(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      setConsistencyToken(reply, await readPrimaryPosition(this.em));
    } catch {
      // The write is committed, so the request must not fail. Without a token, the primary serves the caller's reads.
      this.logger.warn({ requestId: request.id }, 'the response to a write has no consistency token');
    }
  }

  /** Sets all counts to 0, because Prometheus computes no rate for a sample that appears with its first value. */
  private startCounting(): void {
    for (const server of SERVERS) this.reads.inc({ server }, 0);
    for (const reason of REASONS) this.fallbacks.inc({ reason }, 0);
  }

  private classify(error: unknown, operation: string): Reason {
    if (error instanceof WritingReadError) return 'writes';
    // MikroORM wraps driver errors but copies their properties.
    const { code, severity, name, fault } = error as { [P in 'code' | 'severity' | 'name']?: string } & {
      fault?: ReplicaFault;
    };
    if (fault !== undefined) {
      this.replica.reportFailure(fault);
      return fault === 'behind' ? 'behind' : 'unavailable';
    }
    if (code === READ_ONLY_TRANSACTION) {
      this.writing.add(operation);
      this.logger.error({ operation }, 'an operation with mayBeStale writes, so only the primary serves it');
      return 'writes';
    }
    this.logger.warn(
      { operation, error: name, code },
      'a read has failed on the replica and is repeated on the primary',
    );
    // If the server has sent an error, only this statement has failed. Otherwise, the replica cannot be reached.
    if (severity !== 'ERROR') this.replica.reportFailure('unreachable');
    return 'failed';
  }
}

class WritingReadError extends Error {}

/**
 * Returns whether a request synchronises a list. Such a read must not be stale: its sync token contains the current
 * time, and the replica may not yet have all changes from before that time.
 */
function isSynchronisation({ query }: FastifyRequest): boolean {
  const { sync, syncToken } = query as Record<string, unknown>;
  return sync !== undefined || syncToken !== undefined;
}
