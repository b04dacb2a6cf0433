import { requireSupportedNode } from '../shared/config/supported-node.js';
import { disableColorsWithoutTerminal } from './terminal-colors.js';

requireSupportedNode();
disableColorsWithoutTerminal();
await import('./commands/rotate-keys.js');
