import { EntityManager } from '@mikro-orm/core';
import { ForbiddenException, Injectable } from '@nestjs/common';
import { AuditEntry } from '../../../src/audit/index.js';
import { Clinic } from '../../../src/directory/index.js';
import type { VerifiedRequest } from './caller.js';

/** Runs transactions with the caller's rights under row-level security, and writes the audit entry. */
@Injectable()
export class Transactions {
  constructor(private readonly em: EntityManager) {}

  /** @param recordsOf returns the records for the audit entry; if absent, no entry is written */
  run<T>(
    request: VerifiedRequest,
    work: (em: EntityManager) => Promise<T>,
    recordsOf?: (answer: T) => string[],
  ): Promise<T> {
    const { role, id, subject } = request.caller;
    const variables = { role: 'scheduling_service', 'app.caller_kind': role, 'app.caller_id': String(id) };
    return this.em.fork({ session: { variables } }).transactional(async (em) => {
      const answer = await work(em);
      if (recordsOf === undefined) return answer;
      const records = [...new Set(recordsOf(answer))];
      em.create(AuditEntry, {
        ...{ at: Temporal.Now.instant(), actorRole: role, actorId: id, actorSubject: subject },
        ...{ access: request.method === 'GET' ? 'READ' : 'WRITE', records, recordCount: records.length, count: 1 },
        operation: `${request.method} ${request.routeOptions.url!.replaceAll(/:(\w+)/g, '{$1}')}`,
        ...{ requestId: request.id, address: request.ip, outcome: 'OK' },
      });
      await em.flush();
      return answer;
    });
  }
}

/** @throws ForbiddenException if there is no active Clinic with this ID */
export async function requireClinic(em: EntityManager, id: number | undefined): Promise<Clinic> {
  const clinic = id === undefined ? null : await em.findOne(Clinic, { id, active: true });
  if (clinic === null) throw new ForbiddenException('The record that the token names is not there or not active.');
  return clinic;
}
