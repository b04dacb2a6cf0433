import { requireSupportedNode } from '../shared/config/supported-node.js';

requireSupportedNode();
await import('./commands/import-clinic.js');
