import type { EntityManager, MikroORM } from '@mikro-orm/core';

/** As much of the ORM as work on the schema needs. */
export type Orm = { em: EntityManager; migrator: MikroORM['migrator'] };
