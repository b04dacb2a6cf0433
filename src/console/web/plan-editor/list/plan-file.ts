import type { ImportDesignPlan } from '@care-scheduling/client';

/** The content of a file, and the details to show before the import. */
export type PlanFile = { document: ImportDesignPlan; name: string | undefined; weekCount: number };

/** Parses a file. Returns undefined if the file is not a plan. All further validation is left to the service. */
export function parsePlanFile(text: string): PlanFile | undefined {
  const content = parse(text);
  const plan = isRecord(content) ? content['plan'] : undefined;
  if (!isRecord(plan)) return undefined;
  const { planName, name, weeks } = plan;
  return {
    document: content as ImportDesignPlan,
    name: [planName, name].find((one) => typeof one === 'string' && one.trim() !== '') as string | undefined,
    weekCount: Array.isArray(weeks) ? weeks.length : 0,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
