import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import type { ACCESS_TYPES } from '../trail/audit-entry.entity.js';

const PendingCommandSchema = defineEntity({
  name: 'PendingCommand',
  tableName: 'audit_pending_command',
  properties: {
    requestId: p.uuid().primary(),
    at: columnTypes.instant(),
    actorSubject: p.text(),
    access: p.text().$type<(typeof ACCESS_TYPES)[number]>(),
    operation: p.text(),
    records: p.array(),
    address: p.text(),
  },
});

/** A command whose audit entry the service writes when it next starts. */
export class PendingCommand extends PendingCommandSchema.class {}

PendingCommandSchema.setClass(PendingCommand);
