import { Injectable } from '@nestjs/common';
import { Directory } from '../directory/index.js';
import type { Violation } from '../shared/errors/index.js';

/** Between whom a Session may be made: one of the caller's Clients, and a Care Provider of the Clinic. */
@Injectable()
export class SessionParties {
  constructor(private readonly directory: Directory) {}

  /** What stands against these two, as pointers into the request. */
  async violationsOf(
    clinicId: number,
    callerId: number,
    { clientId, caregiverId }: { clientId: number; caregiverId?: number },
  ): Promise<Violation[]> {
    const violations: Violation[] = [];
    if (!(await this.directory.isAssignedClient(clinicId, callerId, clientId))) {
      violations.push({ pointer: '/clientId', detail: 'must be one of your assigned Clients' });
    }
    const isOther = caregiverId !== undefined && caregiverId !== callerId;
    if (isOther && !(await this.directory.hasCareProvider(clinicId, caregiverId))) {
      violations.push({ pointer: '/caregiverId', detail: 'must be a Care Provider of the Clinic' });
    }
    return violations;
  }
}
