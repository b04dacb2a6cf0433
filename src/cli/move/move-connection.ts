import { readEnvironment } from '../../shared/config/env.js';
import { CommandError } from '../command-error.js';

/** @throws CommandError if the database is embedded */
export function requireServer(): void {
  if (readEnvironment().database.kind === 'embedded')
    throw new CommandError('Clinics move between installations with PostgreSQL only: set DATABASE_URL.');
}
