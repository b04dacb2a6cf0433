export { AuditRecordKinds, type AuditRecordDeclaration } from './audit-record-kinds.js';
export { findStreamedRecordReferences, setStreamedRecordReferences } from './streamed-records.js';
export { provideAuditRecordKinds } from './provide-audit-record-kinds.js';
