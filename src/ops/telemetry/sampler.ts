import { TraceFlags, type Link } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SamplingResult,
} from '@opentelemetry/sdk-trace';
import type { TelemetryEnvironment } from './telemetry-environment.js';

type Sampling = Pick<NonNullable<TelemetryEnvironment['traces']>, 'sampler' | 'ratio'>;

export function createSampler({ sampler, ratio }: Sampling): Sampler {
  const root = createRoot(sampler.replace('parentbased_', ''), ratio);
  return new LinkedSampler(sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root);
}

function createRoot(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

/**
 * Always records a trace that is linked to a recorded trace. If each trace were sampled independently with a ratio of
 * 10 %, only 1 % of requests would be recorded together with the delivery of their reminders.
 */
class LinkedSampler implements Sampler {
  constructor(private readonly sampler: Sampler) {}

  shouldSample(...parameters: Parameters<Sampler['shouldSample']>): SamplingResult {
    const links: readonly Link[] = parameters[5];
    const isLinked = links.some(({ context }) => (context.traceFlags & TraceFlags.SAMPLED) !== 0);
    if (isLinked) return { decision: SamplingDecision.RECORD_AND_SAMPLED };
    return this.sampler.shouldSample(...parameters);
  }

  toString(): string {
    return `Linked{${this.sampler.toString()}}`;
  }
}
