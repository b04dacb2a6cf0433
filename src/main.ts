import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { requireSupportedNode } from './shared/config/supported-node.js';

requireSupportedNode();
// Node keeps the compiled code of the service here. It does without if it may not write to the directory.
module.enableCompileCache(fileURLToPath(new URL('../compile-cache', import.meta.url)));
await import('./start.js');
