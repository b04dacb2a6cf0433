import { p } from '@mikro-orm/core';
import { InstantType } from './instant.type.js';

/** Column types that entities share: IDs are `bigint` and read as numbers; instants are `timestamptz`. */
export const columns = {
  id: () => p.bigint('number').primary().autoincrement(),
  reference: () => p.bigint('number'),
  instant: () => p.type(InstantType).$type<Temporal.Instant>(),
};
