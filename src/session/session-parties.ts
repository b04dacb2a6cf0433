import { Injectable } from '@nestjs/common';
import { Directory } from '../directory/index.js';
import type { Violation } from '../shared/errors/index.js';
import type { ConflictPolicy } from './schedule-conflicts.js';

/** Between whom a Session may be made: one of the caller's Clients, and a Care Provider of the Clinic. */
@Injectable()
export class SessionParties {
  constructor(private readonly directory: Directory) {}

  /**
   * Holds the two until the transaction ends, and tells what stands against them, as pointers into the request.
   *
   * @param policy where overlaps are refused, nobody else may give either of them a Session meanwhile
   */
  async hold(
    policy: ConflictPolicy,
    clinicId: number,
    callerId: number,
    { clientId, caregiverId = callerId }: { clientId: number; caregiverId?: number },
  ): Promise<Violation[]> {
    const held = await this.directory.hold(clinicId, [caregiverId], clientId, policy === 'reject');
    const isAssigned = held.hasClient && (await this.directory.isAssigned(clinicId, callerId, clientId));
    return [
      ...(isAssigned ? [] : [{ pointer: '/clientId', detail: 'must be one of your assigned Clients' }]),
      ...(held.hasCareProviders ? [] : [{ pointer: '/caregiverId', detail: 'must be a Care Provider of the Clinic' }]),
    ];
  }
}
