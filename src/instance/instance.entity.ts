import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';

const InstanceSchema = defineEntity({
  name: 'Instance',
  tableName: 'instance',
  properties: {
    /** Of the process; a restarted one has another. */
    id: p.uuid().primary(),
    release: p.text(),
    /** Milliseconds by which its machine's clock is ahead of the database's. */
    clockOffsetMs: columns.reference(),
    /** Of the time zone data that it works with. */
    zoneDataVersion: p.text(),
    startedAt: columns.instant(),
    /** By the clock of the database, as is the start. */
    lastSeen: columns.instant(),
  },
});

/** A process of the service that works on this database. It says every few seconds that it is there. */
export class Instance extends InstanceSchema.class {}

InstanceSchema.setClass(Instance);
