import { Injectable } from '@nestjs/common';
import { Environment } from '../shared/config/env.js';
import { KeyedLimit } from '../shared/http/index.js';
import { CONNECTION_TIMEOUT_MS, type Actor } from '../shared/persistence/index.js';

/** Number of connections of the pool that one caller cannot occupy. */
const KEPT_FOR_OTHERS = 2;
/** Number of connections of the pool that all requests together cannot occupy, so that readiness can be checked. */
const KEPT_FOR_PROBES = 1;
/** The key of the limit for the requests of all callers. */
const ALL_CALLERS = '';
/** Maximum number of imports of one caller that run at the same time, and that wait. Each may take many seconds. */
const IMPORTS = { active: 2, waiting: 10 };

/**
 * Limits the requests that run at the same time: those of one caller, so that the other callers get a connection, and
 * those of all callers. Each page of a streamed export counts as a request. Callers with the same directory record, such
 * as all accounts of a Clinic, count as one.
 */
@Injectable()
export class CallerConcurrency {
  private readonly imports = new KeyedLimit(IMPORTS);
  private readonly requestsOfCaller: KeyedLimit;
  private readonly requests: KeyedLimit;

  constructor({ database, maxRequestsAtWork }: Environment) {
    // The embedded database has a single connection, so its transactions run one after the other in any case.
    const poolSize = database.kind === 'embedded' ? Infinity : database.poolSize;
    const limit = (kept: number, waiting: number) =>
      new KeyedLimit({ active: Math.max(1, poolSize - kept), waiting, waitMs: CONNECTION_TIMEOUT_MS });
    this.requestsOfCaller = limit(KEPT_FOR_OTHERS, Math.ceil(maxRequestsAtWork / 2));
    this.requests = limit(KEPT_FOR_PROBES, maxRequestsAtWork);
  }

  /** @throws ServiceUnavailableException (503) if too many requests are waiting, or wait for too long */
  run<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
    return this.requestsOfCaller.run(toKey(actor), () => this.requests.run(ALL_CALLERS, work));
  }

  /**
   * Runs an import, which may take many seconds.
   *
   * @throws ServiceUnavailableException (503) as {@link run}, or if too many imports of the caller are waiting
   */
  runImport<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
    return this.imports.run(toKey(actor), () => this.run(actor, work));
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
