export { DataKeys, MAX_CACHE_AGE_MS, type RotationProgress } from './data-keys.js';
export { DirectoryKeyStore } from './directory-key-store.js';
export { INSTALLATION, toOwnerKey, type KeyKind, type KeyOwner } from './key-owner.js';
export { KeyRing, UnusableKeyError } from './key-ring.js';
export { KeyStore } from './key-store.js';
export { openDataKeys } from './open-data-keys.js';
