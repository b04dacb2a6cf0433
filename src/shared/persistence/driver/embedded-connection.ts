import { PGlite, type Extension } from '@electric-sql/pglite';
import type { Configuration } from '@mikro-orm/core';
import { PgliteConnection, PglitePlatform } from '@mikro-orm/pglite';
import { AbstractSqlDriver } from '@mikro-orm/sql';
import { beginWithSession, type BeginOptions } from './session-begin.js';

/**
 * The parameters of PostgreSQL. Each start writes zeros to all shared buffers: with the default of 128 MB, it takes 0.4 s
 * longer, and the process is 130 MB larger.
 */
const START_PARAMETERS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

/** PostgreSQL gives a larger ID to each type that it creates for a table, and to the array type of it. */
const MAX_ID_OF_BUILT_IN_TYPE = 9_999;

/**
 * PGlite copies its parsers for each statement. Three quarters of them parse arrays of table rows, which no statement
 * returns. Without these, a short statement takes half the time.
 */
const builtInTypesOnly: Extension = {
  name: 'built-in types only',
  setup(pglite) {
    const removeOtherParsers = () => {
      const database = pglite as unknown as Pick<PGlite, 'parsers'>;
      const isBuiltIn = ([id]: [string, unknown]) => Number(id) <= MAX_ID_OF_BUILT_IN_TYPE;
      database.parsers = Object.fromEntries(Object.entries(database.parsers).filter(isBuiltIn));
      return Promise.resolve();
    };
    // PGlite calls `init` after it has read all array types.
    return Promise.resolve({ init: removeOtherParsers });
  },
};

/** The options of PGlite, without the place of the files. */
export const PGLITE_OPTIONS = { startParams: START_PARAMETERS, extensions: { builtInTypesOnly } };

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
