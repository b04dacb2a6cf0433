export { AuditRecordKinds, type AuditRecordDeclaration } from './audit-record-kinds.js';
export { provideAuditRecords } from './provide-audit-records.js';
