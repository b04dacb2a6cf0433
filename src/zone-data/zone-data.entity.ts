import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../shared/persistence/index.js';

const ZoneDataAdoptionSchema = defineEntity({
  name: 'ZoneDataAdoption',
  tableName: 'zone_data',
  properties: {
    id: columnTypes.id(),
    version: p.text(),
    /** The version that was in use before; null if no version was stored. */
    previous: p.text().nullable().strictNullable(),
    startedAt: columnTypes.instant(),
    /** The ID of the last Session that has been processed; 0 before the first batch. The next batch begins after it. */
    lastSessionId: columnTypes.reference().fieldName('next_session_id'),
    /**
     * When all Sessions are to be processed a second time, because instances with older data may still write rows until
     * then; null if no second run is planned.
     */
    repeatAfter: columnTypes.instant().nullable().strictNullable(),
    finishedAt: columnTypes.instant().nullable().strictNullable(),
    /** Numbers of Sessions and reminders whose instants have changed. */
    sessions: p.integer(),
    reminders: p.integer(),
  },
});

/**
 * A version of the time zone data that the service has adopted for computing instants. The newest row is the current
 * one.
 */
export class ZoneDataAdoption extends ZoneDataAdoptionSchema.class {}

ZoneDataAdoptionSchema.setClass(ZoneDataAdoption);
