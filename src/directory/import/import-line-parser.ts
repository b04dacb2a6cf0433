import { z } from 'zod';
import { InvalidRequestError, type Violation } from '../../shared/errors/index.js';
import type { NdjsonLine } from '../../shared/http/index.js';
import { findUnknownFields, nameMissingMembers, parseJsonBody, toViolations } from '../../shared/validation/index.js';
import type { ImportLineResult } from '../dto/import-model.js';
import { externalIdSchema } from '../dto/record-model.js';

/** The external ID that every import line must have. */
export type WithExternalId = { externalId: string };
/** A valid line and its line number. */
export type ImportLine<Data> = { line: number; data: Data };
type RefusedLine = Extract<ImportLineResult, { status: 'refused' }>;

/**
 * Maximum size of a line in bytes, because a line of several MiB would block the event loop for seconds. The largest line,
 * a Client with 50 external IDs of 200 characters that are all escaped, has less than 127,500 bytes without whitespace.
 */
export const MAX_LINE_BYTES = 131_072;
/** Maximum number of errors in the result for one line. */
const MAX_VIOLATIONS = 10;
const TOO_LONG = { pointer: '', detail: `must be at most ${MAX_LINE_BYTES} bytes long` };

const withExternalIdSchema = z.object({ externalId: externalIdSchema });

/** Parses the lines of one import in order, and refuses each line that repeats an earlier external ID. */
export class ImportLineParser<Data extends WithExternalId> {
  private readonly lineByExternalId = new Map<string, number>();

  constructor(private readonly schema: z.ZodType<Data>) {}

  parse({ number, bytes }: NdjsonLine): ImportLine<Data> | RefusedLine {
    if (bytes.length > MAX_LINE_BYTES) return toRefusedLine(number, [TOO_LONG]);
    const parsed = parse(bytes);
    if ('violations' in parsed) return toRefusedLine(number, parsed.violations);
    const repeated = this.findDuplicate(number, parsed.value);
    const unknown = findUnknownFields(this.schema, parsed.value, MAX_VIOLATIONS);
    const result = this.schema.safeParse(parsed.value);
    const issues = nameMissingMembers(result.error?.issues ?? [], parsed.value);
    if (!result.success || unknown.length > 0)
      return toRefusedLine(number, [...unknown, ...toViolations(issues, MAX_VIOLATIONS)]);
    return repeated ? toRefusedLine(number, [repeated]) : { line: number, data: result.data };
  }

  /**
   * Finds an earlier line with the same external ID. Refused lines count, because either of two lines with the same
   * external ID may be the intended one.
   */
  private findDuplicate(number: number, value: unknown): Violation | undefined {
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
