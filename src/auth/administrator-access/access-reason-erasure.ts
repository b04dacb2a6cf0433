import { ofClinic, type ErasedText } from '../../shared/erasure/index.js';

/** Accesses are kept after the erasure of their Clinic, because they show which administrator has read its data. */
export const ERASED_ACCESS_REASONS: readonly ErasedText[] = [
  { table: 'administrator_access', column: 'reason', CLINIC: ofClinic },
];
