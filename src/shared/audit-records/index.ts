export { AuditRecordKinds } from './audit-record-kinds.js';
export { findStreamedRecordReferences, setStreamedRecordReferences } from './streamed-records.js';
export { provideAuditRecordKinds } from './provide-audit-record-kinds.js';
