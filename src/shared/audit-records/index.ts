export { AuditRecordKinds, type AuditRecordDeclaration } from './audit-record-kinds.js';
export { findStreamedRecords, nameStreamedRecords } from './streamed-records.js';
export { provideAuditRecords } from './provide-audit-records.js';
