import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';

const ZoneDataAdoptionSchema = defineEntity({
  name: 'ZoneDataUse',
  tableName: 'zone_data',
  properties: {
    id: columns.id(),
    version: p.text(),
    /** Null: of instants from before this was stored. */
    previous: p.text().nullable().strictNullable(),
    startedAt: columns.instant(),
    /** Sessions up to this one have been worked out again. */
    nextSessionId: columns.reference(),
    /** Instances with older data served at the start: what they wrote until they noticed is worked out once more. */
    repeatAfter: columns.instant().nullable().strictNullable(),
    finishedAt: columns.instant().nullable().strictNullable(),
    /** How many have another time. */
    sessions: p.integer(),
    reminders: p.integer(),
  },
});

/** Time zone data that the instants of this database are worked out with. The newest row is the one in use. */
export class ZoneDataAdoption extends ZoneDataAdoptionSchema.class {}

ZoneDataAdoptionSchema.setClass(ZoneDataAdoption);
