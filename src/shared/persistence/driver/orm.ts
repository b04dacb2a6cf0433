import type { EntityManager, MikroORM } from '@mikro-orm/core';

/** The part of the ORM that schema changes need. */
export type Orm = { em: EntityManager; migrator: MikroORM['migrator'] };
