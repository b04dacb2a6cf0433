import { Migration20261121000000Initial } from './migration-20261121000000-initial.js';

/** All migrations, oldest first. The same list serves the embedded database and PostgreSQL. */
export const migrations = [{ name: 'migration-20261121000000-initial', class: Migration20261121000000Initial }];
