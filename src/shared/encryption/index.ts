export { DataKeys, KEY_BATCH_SIZE } from './data-keys.js';
export { INSTALLATION_KEY_OWNER, KEY_OWNER_KINDS, toOwnerKey, type KeyOwner } from './key-owner.js';
export { openDataKeys } from './open-data-keys.js';
export { findKeyOwnerKind, isEncryptedText } from './text-cipher.js';
export { WrappingUnavailableError } from './wrapping/key-wrapper.js';
