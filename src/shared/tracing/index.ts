export { Tracing, type LinkedSpanDescription, type SpanDescription } from './tracing.js';
export { describeStatement } from './statement-text.js';
