import { requireSupportedNode } from './shared/config/supported-node.js';

requireSupportedNode();
const { enableCompileCache } = await import('node:module');
// Node keeps the compiled code of the service here. It does without if it may not write to the directory.
enableCompileCache(`${import.meta.dirname}/../compile-cache`);
await import('./start.js');
