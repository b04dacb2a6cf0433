import { requireSupportedNode } from './shared/config/supported-node.js';

requireSupportedNode();
await import('./start.js');
