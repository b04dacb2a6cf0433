export { AuditRecordKinds } from './audit-record-kinds.js';
export { findRecordReferences, setRecordReferences } from './record-references.js';
export { provideAuditRecordKinds } from './provide-audit-record-kinds.js';
