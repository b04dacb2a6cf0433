import { requireSupportedNode } from '../shared/config/supported-node.js';

requireSupportedNode();
await import('./commands/export-clinic.js');
