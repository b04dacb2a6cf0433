import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';

const ZoneDataAdoptionSchema = defineEntity({
  name: 'ZoneDataUse',
  tableName: 'zone_data',
  properties: {
    id: columns.id(),
    version: p.text(),
    /** Null: no version was stored before. */
    previous: p.text().nullable().strictNullable(),
    startedAt: columns.instant(),
    /** Sessions up to this id have been recomputed. */
    nextSessionId: columns.reference(),
    /** Time of a second run, for rows that instances with older data have written in the meantime; null: none. */
    repeatAfter: columns.instant().nullable().strictNullable(),
    finishedAt: columns.instant().nullable().strictNullable(),
    /** Number of Sessions and reminders whose instant has changed. */
    sessions: p.integer(),
    reminders: p.integer(),
  },
});

/** A version of time zone data with which instants were computed. The newest row is the current one. */
export class ZoneDataAdoption extends ZoneDataAdoptionSchema.class {}

ZoneDataAdoptionSchema.setClass(ZoneDataAdoption);
