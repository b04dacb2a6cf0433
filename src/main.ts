import { requireSupportedNode } from './shared/config/supported-node.js';

requireSupportedNode();
const { enableCompileCache, setSourceMapsSupport } = await import('node:module');
const { setFlagsFromString } = await import('node:v8');
// V8 collects garbage when the heap has grown by half. By default, it lets the heap grow to a multiple (ADR 21).
setFlagsFromString('--heap-growing-percent=50');
// Node decodes a source map for the first stack trace. With `--enable-source-maps`, pino would need one at the start.
setSourceMapsSupport(true);
// Node keeps the compiled code of the service here. It does without if it may not write to the directory.
enableCompileCache(`${import.meta.dirname}/../compile-cache`);
await import('./start.js');
