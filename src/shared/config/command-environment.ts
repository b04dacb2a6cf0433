import { encryptionVariables } from './encryption-environment.js';
import { readEnvironment, type Environment } from './env.js';
import { toFileVariableName } from './secrets/secret-files.js';

const KEY_VARIABLES = new Set(Object.keys(encryptionVariables).flatMap((name) => [name, toFileVariableName(name)]));

/**
 * Reads the environment of a command that neither encrypts nor decrypts. Ignores the variables of the encryption, so that
 * such a command, for example the migration, can run where the files with the keys are not mounted.
 *
 * @throws InvalidEnvironmentError with one line for each invalid variable
 */
export function readEnvironmentWithoutKeys(source: NodeJS.ProcessEnv = process.env): Environment {
  const variables = Object.entries(source).filter(([name]) => !KEY_VARIABLES.has(name));
  const environment = readEnvironment({ ...Object.fromEntries(variables), ENCRYPTION: 'off' });
  return Object.assign(environment, { encryption: { encrypts: false, keys: undefined } });
}
