import { z } from 'zod';
import { InvalidRequestError, type Violation } from '../../shared/errors/index.js';
import type { NdjsonLine } from '../../shared/http/index.js';
import { parseJsonBody, toViolations } from '../../shared/validation/index.js';
import type { ImportResult } from '../dto/import-model.js';
import { externalIdSchema } from '../dto/record-model.js';

/** Every line of an import has an external id. */
export type WithExternalId = { externalId: string };
/** A valid line, with its number. */
export type ImportLine<Data> = { line: number; data: Data };
export type RefusedLine = Extract<ImportResult, { status: 'refused' }>;

/** Limits the size of the result of one line. */
const MAX_VIOLATIONS = 10;

const withExternalIdSchema = z.object({ externalId: externalIdSchema });

/** Parses the lines of one import in their order, and refuses external ids that were on a line before. */
export class ImportLineParser<Data extends WithExternalId> {
  private readonly lineByExternalId = new Map<string, number>();

  constructor(private readonly schema: z.ZodType<Data>) {}

  parse({ number, bytes }: NdjsonLine): ImportLine<Data> | RefusedLine {
    const parsed = parse(bytes);
    if ('violations' in parsed) return toRefusedLine(number, parsed.violations);
    const repeated = this.findRepetition(number, parsed.value);
    const result = this.schema.safeParse(parsed.value);
    if (!result.success) return toRefusedLine(number, toViolations(result.error.issues, MAX_VIOLATIONS));
    return repeated ? toRefusedLine(number, [repeated]) : { line: number, data: result.data };
  }

  /** A refused line counts, too, because it is unknown which of two lines with one external id is the intended one. */
  private findRepetition(number: number, value: unknown): Violation | undefined {
    const key = withExternalIdSchema.safeParse(value).data?.externalId;
    if (key === undefined) return undefined;
    const first = this.lineByExternalId.get(key);
    if (first === undefined) this.lineByExternalId.set(key, number);
    return first === undefined ? undefined : { pointer: '/externalId', detail: `is that of line ${first} already` };
  }
}

export function toRefusedLine(line: number, violations: readonly Violation[]): RefusedLine {
  return { line, status: 'refused', errors: violations.slice(0, MAX_VIOLATIONS) };
}

function parse(bytes: Buffer): { value: unknown } | { violations: readonly Violation[] } {
  try {
    return { value: parseJsonBody(bytes) };
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return { violations: error.violations };
  }
}
