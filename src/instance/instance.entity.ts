import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../shared/persistence/index.js';

const InstanceSchema = defineEntity({
  name: 'Instance',
  tableName: 'instance',
  properties: {
    /** The ID of the process. A restart creates a new ID. */
    id: p.uuid().primary(),
    release: p.text(),
    /** Milliseconds by which the instance's machine clock is ahead of the database clock. */
    clockOffsetMs: columnTypes.reference(),
    /** The version of the instance's time zone data. */
    zoneDataVersion: p.text(),
    startedAt: columnTypes.instant(),
    /** The time of the last heartbeat, in database time like `startedAt`. */
    lastSeen: columnTypes.instant(),
    /** When the instance last served requests, in database time; null if it has not served any. */
    servingAt: columnTypes.instant().nullable(),
  },
});

/** A running process of the service, which updates its row every few seconds. */
export class Instance extends InstanceSchema.class {}

InstanceSchema.setClass(Instance);
