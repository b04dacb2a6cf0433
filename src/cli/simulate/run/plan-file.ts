import { readFile } from 'node:fs/promises';
import { demonstrationPlan } from './demonstration-plan.js';
import { UsageError } from '../options.js';

/** A plan as it is going to be sent to the service, which checks it: all that is known here is that it is JSON. */
export type PlanInput = { body: unknown; isDocument: boolean; source: string };

/**
 * The plan of a file, as exported or as the body of its creation; without a file, the demonstration plan.
 *
 * @throws UsageError
 */
export async function readPlan(file: string | undefined): Promise<PlanInput> {
  if (file === undefined) return { body: demonstrationPlan, isDocument: false, source: 'The demonstration plan' };
  const body = parseJson(file, await readText(file));
  return { body, isDocument: isRecord(body) && 'format' in body, source: file };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON.`);
  }
}

/** The ids of Books that a plan names, wherever it names them. */
export function collectBookIds(body: unknown): number[] {
  if (!isRecord(body) && !Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name === 'bookId' && Number.isSafeInteger(value) && Number(value) > 0 ? [Number(value)] : collectBookIds(value),
  );
}

/**
 * The plan as one of the demonstration directory: with the Books' ids there, and without the Clinic and the Care
 * Provider, which are those of the Client.
 */
export function adaptPlan(body: unknown, bookIds: ReadonlyMap<number, number>): unknown {
  if (Array.isArray(body)) return body.map((item) => adaptPlan(item, bookIds));
  if (!isRecord(body)) return body;
  const fields = Object.entries(body).filter(([name]) => !OMITTED_FIELDS.has(name));
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      name === 'bookId' ? (bookIds.get(Number(value)) ?? value) : adaptPlan(value, bookIds),
    ]),
  );
}

const OMITTED_FIELDS = new Set(['clinicId', 'caregiverId']);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
