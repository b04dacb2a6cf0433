import { UNTRACKED } from '../../shared/persistence/index.js';

/**
 * Find option for Sessions of which only the times and states are needed. A page or a message can need all Sessions of
 * hundreds of series, and their texts, which also have to be decrypted, would fill the memory. Excludes all encrypted columns.
 */
export const WITHOUT_TEXTS = { ...UNTRACKED, exclude: ['title', 'description', 'cancelNote'] } as const;
