export { DataKeys, KEY_BATCH_SIZE, MAX_KEY_CACHE_AGE_MS } from './data-keys.js';
export type { RotationProgress } from './key-rotation.js';
export { INSTALLATION_KEY_OWNER, KEY_OWNER_KINDS, toOwnerKey, type KeyOwnerKind, type KeyOwner } from './key-owner.js';
export { openDataKeys } from './open-data-keys.js';
export { DirectoryKeyStore } from './store/directory-key-store.js';
export { KeyStore } from './store/key-store.js';
export { KeyRing } from './wrapping/key-ring.js';
export { UnusableKeyError, WrappingUnavailableError } from './wrapping/key-wrapper.js';
