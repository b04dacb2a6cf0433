import type { Configuration } from '@mikro-orm/core';
import { PgliteConnection, PglitePlatform } from '@mikro-orm/pglite';
import { AbstractSqlDriver } from '@mikro-orm/sql';
import { beginWithSession, type BeginOptions } from './session-begin.js';

/** A PGlite connection that sets the session variables of a transaction as `ParameterisedConnection` does. */
class EmbeddedConnection extends PgliteConnection {
  override begin(options: BeginOptions = {}): ReturnType<PgliteConnection['begin']> {
    return beginWithSession(this.config, options, (rest) => super.begin(rest));
  }
}

/** MikroORM's PGlite driver with an `EmbeddedConnection`. */
export class EmbeddedDriver extends AbstractSqlDriver<EmbeddedConnection> {
  constructor(config: Configuration) {
    super(config, new PglitePlatform(), EmbeddedConnection, ['kysely', '@electric-sql/pglite']);
  }
}
