import { requireSupportedNode } from '../shared/config/supported-node.js';

requireSupportedNode();
await import('./terminal-colors.js');
await import('./commands/migrate.js');
