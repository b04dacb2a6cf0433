import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';

const ZoneDataAdoptionSchema = defineEntity({
  name: 'ZoneDataUse',
  tableName: 'zone_data',
  properties: {
    id: columns.id(),
    version: p.text(),
    /** The version that was current before; null if no version was stored. */
    previous: p.text().nullable().strictNullable(),
    startedAt: columns.instant(),
    /** The last ID of the batches that are done; 0 before the first. The next batch begins after this ID. */
    nextSessionId: columns.reference(),
    /** Time of the second run, for rows that instances with older data write in the meantime; null if none is due. */
    repeatAfter: columns.instant().nullable().strictNullable(),
    finishedAt: columns.instant().nullable().strictNullable(),
    /** Numbers of Sessions and reminders whose instants have changed. */
    sessions: p.integer(),
    reminders: p.integer(),
  },
});

/** The adoption of a version of the time zone data for computing instants. The newest row is the current one. */
export class ZoneDataAdoption extends ZoneDataAdoptionSchema.class {}

ZoneDataAdoptionSchema.setClass(ZoneDataAdoption);
