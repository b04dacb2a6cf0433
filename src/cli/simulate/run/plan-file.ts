import { readFile } from 'node:fs/promises';
import { demonstrationPlan } from './demonstration-plan.js';
import { UsageError } from '../../command-line.js';

/** The plan to simulate, not yet validated: an exported plan (`isDocument` is true), or the body of a request. */
export type SimulatedPlanInput = { body: unknown; isDocument: boolean; source: string };

/**
 * Reads a plan from a file, either an exported plan or a request body. Without a file, returns the demonstration plan.
 *
 * @throws UsageError
 */
export async function readPlanFile(file: string | undefined): Promise<SimulatedPlanInput> {
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

/** Collects the values of all fields for Book IDs, at any depth of a plan that is not validated yet. */
export function collectBookIdsInJson(body: unknown): number[] {
  if (!isRecord(body) && !Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name === 'bookId' && Number.isSafeInteger(value) && Number(value) > 0
      ? [Number(value)]
      : collectBookIdsInJson(value),
  );
}

/**
 * Adapts a plan to the demonstration directory: replaces the Book IDs and removes the IDs of the Clinic and the Care
 * Provider. A template becomes a plan, because the service refuses to apply a template.
 */
export function adaptPlanToDemonstration(body: unknown, bookIds: ReadonlyMap<number, number>): unknown {
  if (Array.isArray(body)) return body.map((item) => adaptPlanToDemonstration(item, bookIds));
  if (!isRecord(body)) return body;
  const fields = Object.entries(body).filter(([name]) => !OMITTED_FIELDS.has(name));
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      name === 'bookId' ? (bookIds.get(Number(value)) ?? value) : adaptPlanToDemonstration(value, bookIds),
    ]),
  );
}

const OMITTED_FIELDS = new Set(['clinicId', 'caregiverId', 'template']);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
