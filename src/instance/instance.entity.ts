import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';

const InstanceSchema = defineEntity({
  name: 'Instance',
  tableName: 'instance',
  properties: {
    /** Unique per process: a restart creates a new id. */
    id: p.uuid().primary(),
    release: p.text(),
    /** Milliseconds by which the clock of its machine is ahead of the database clock. */
    clockOffsetMs: columns.reference(),
    /** Version of its time zone data. */
    zoneDataVersion: p.text(),
    startedAt: columns.instant(),
    /** The last heartbeat, in database time, as `startedAt`. */
    lastSeen: columns.instant(),
    /** When it last served requests, by the clock of the database; null: it has served none. */
    servingAt: columns.instant().nullable(),
  },
});

/** A running process of the service. It updates its row every few seconds. */
export class Instance extends InstanceSchema.class {}

InstanceSchema.setClass(Instance);
