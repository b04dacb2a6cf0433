export { AuditRecordKinds } from './audit-record-kinds.js';
export {
  addChangedRecords,
  findRecordReferences,
  listChangedRecords,
  setRecordReferences,
} from './record-references.js';
export { provideAuditRecordKinds } from './provide-audit-record-kinds.js';
