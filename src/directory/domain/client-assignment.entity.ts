import { defineEntity } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';

const ClientAssignmentSchema = defineEntity({
  name: 'ClientAssignment',
  tableName: 'client_assignment',
  properties: {
    clientId: columnTypes.reference().primary(),
    careProviderId: columnTypes.reference().primary(),
    clinicId: columnTypes.reference(),
    assignedAt: columnTypes.instant(),
  },
});

/** The assignment of a Client to a Care Provider in the same Clinic. */
export class ClientAssignment extends ClientAssignmentSchema.class {
  constructor(clinicId: number, clientId: number, careProviderId: number, now: Temporal.Instant) {
    super();
    this.clientId = clientId;
    this.careProviderId = careProviderId;
    this.clinicId = clinicId;
    this.assignedAt = now;
  }
}
ClientAssignmentSchema.setClass(ClientAssignment);
