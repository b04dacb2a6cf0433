import { z } from 'zod';
import { InvalidRequestError, type Violation } from '../../shared/errors/index.js';
import type { NdjsonLine } from '../../shared/http/index.js';
import { parseJsonBody, toViolations } from '../../shared/validation/index.js';
import type { ImportResult } from '../dto/import-model.js';
import { externalIdParam } from '../dto/record-model.js';

/** What every line of an import has. */
export type WithExternalId = { externalId: string };
/** A line that can be stored. */
export type ImportLine<Data> = { line: number; data: Data };
export type RefusedLine = Extract<ImportResult, { status: 'refused' }>;

/** An answer to a hostile line must not grow with the line. */
const MAX_VIOLATIONS = 10;

const withExternalIdSchema = z.object({ externalId: externalIdParam });

/** Reads the lines of one import in their order, and remembers which external ids it has seen. */
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

  /** The first line with an external id claims it even when it is refused: which of two is meant, we cannot know. */
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
