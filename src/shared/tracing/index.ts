export { Tracing, type LinkedSpanDescription, type SpanAttributes, type SpanDescription } from './tracing.js';
export { describeStatement } from './statement-text.js';
