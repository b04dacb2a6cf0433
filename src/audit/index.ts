// The door of the audit trail: other modules import from here and from nowhere deeper.
export { AuditEntry } from './audit-entry.entity.js';
export { AuditPendingCommand } from './audit-pending-command.entity.js';
export { AuditSeal, AuditUnsealed } from './audit-seal.entity.js';
export { AuditModule } from './audit.module.js';
export { AuditSealer } from './audit.sealer.js';
export { AuditTrail } from './audit-trail.js';
export {
  logCommand,
  recordCommand,
  recordCommandAtStart,
  recordMigrateDown,
  withAuditRights,
  type Command,
  type RunStatement,
} from './command.js';
export { AuditVerifier, type Finding, type Head, type Verdict } from './audit.verifier.js';
export { readHeads, writeHead } from './heads.js';
export { recordSystemChange, type SystemChange } from './system-change.js';
