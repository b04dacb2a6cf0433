import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { listDeclaredVariables } from '../declared-variables.js';

/*
 * Supports secrets in files, which Kubernetes and Compose provide: each variable that is declared with `meta({ secret:
 * true })` can name a file, as in `JWT_SECRET_FILE=/run/secrets/jwt` instead of `JWT_SECRET`.
 */

type Variables = Readonly<Record<string, string | undefined>>;

/** Maximum size of a file with a secret, in bytes, so that a wrong path cannot fill the memory. */
const MAX_BYTES = 65_536;

/** Whether a schema is declared as a secret. Its JSON schema also has the `meta` that stands before `optional()`. */
export function isSecretVariable(schema: z.core.$ZodType): boolean {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })['secret'] === true;
}

export function toFileVariableName(name: string): string {
  return `${name}_FILE`;
}

/**
 * Replaces variables that name files with the contents of the files.
 *
 * @returns the variables, and one line for each file that cannot be used
 */
export function readSecretFiles(variables: Variables): { variables: Variables; problems: string[] } {
  const read: Record<string, string | undefined> = { ...variables };
  const problems: string[] = [];
  for (const [name, schema] of listDeclaredVariables().flatMap(({ shape }) => Object.entries(shape))) {
    const fileVariable = toFileVariableName(name);
    const file = variables[fileVariable];
    if (file === undefined || !isSecretVariable(schema)) continue;
    const content = variables[name] === undefined ? readSecret(file) : { problem: `and ${name} exclude each other` };
    if ('problem' in content) problems.push(`${fileVariable} ${content.problem}`);
    else read[name] = content.secret;
  }
  return { variables: read, problems };
}

/** Reads a secret without the line break with which editors and `echo` end a file. */
function readSecret(file: string): { secret: string } | { problem: string } {
  try {
    if (statSync(file).size > MAX_BYTES) return { problem: `must name a file of at most ${MAX_BYTES} bytes` };
    const secret = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return secret === '' ? { problem: 'names an empty file' } : { secret };
  } catch (error) {
    return { problem: `names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` };
  }
}
