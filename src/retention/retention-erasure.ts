import { ofClinic, type ErasedRows } from '../shared/erasure/index.js';

export const ERASED_RETENTION_SETTINGS: readonly ErasedRows[] = [{ table: 'retention_setting', CLINIC: ofClinic }];
