import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../shared/config/env.js';
import { KeyedLimit } from '../shared/http/index.js';
import { CONNECTION_TIMEOUT_MS, type Actor } from '../shared/persistence/index.js';

/** Number of connections of the pool that one caller cannot occupy. */
const RESERVED_CONNECTIONS = 2;
/** Maximum number of imports of one caller that run at the same time, and that wait. Each may take many seconds. */
const IMPORTS = { active: 2, waiting: 10 };

/**
 * Limits the requests of one caller that run at the same time, so that the other callers get a connection. Callers with
 * the same directory record, such as all accounts of a Clinic, count as one.
 */
@Injectable()
export class CallerConcurrency {
  private readonly imports = new KeyedLimit(IMPORTS);
  private readonly requests: KeyedLimit;

  constructor({ database, maxRequestsAtWork }: Environment) {
    this.requests = new KeyedLimit({
      // The embedded database has a single connection, so its transactions run one after the other in any case.
      active: database.kind === 'embedded' ? Infinity : Math.max(1, database.poolSize - RESERVED_CONNECTIONS),
      waiting: Math.ceil(maxRequestsAtWork / 2),
      waitMs: CONNECTION_TIMEOUT_MS,
    });
  }

  /** @throws ServiceUnavailableException (503) if too many requests of the caller are waiting, or wait for too long */
  run<T>(request: FastifyRequest, actor: Actor, work: () => Promise<T>): Promise<T> {
    const key = toKey(actor);
    const runRequest = () => this.requests.run(key, work);
    return request.routeOptions.config.readsNdjson ? this.imports.run(key, runRequest) : runRequest();
  }
}

function toKey(actor: Actor): string {
  switch (actor.role) {
    case 'CLINIC':
      return `${actor.role} ${actor.clinicId}`;
    case 'CARE_PROVIDER':
      return `${actor.role} ${actor.caregiverId}`;
    case 'CLIENT':
      return `${actor.role} ${actor.clientId}`;
    case 'CALENDAR_LINK':
    case 'OPT_OUT_LINK':
      return `${actor.role} ${actor.secretHash}`;
    default:
      return actor.role;
  }
}
