// Public interface of this module. Other modules import nothing else from it.
export { AuditEntry } from './trail/audit-entry.entity.js';
export { AuditRetention } from './retention/audit-retention.js';
export { AuditRetirement } from './sealing/audit-retirement.entity.js';
export { AuditJobs } from './audit.jobs.js';
export { AuditModule } from './audit.module.js';
export { clientAuditEntrySchema } from './reading/client-audit.dto.js';
export { ClientAuditSource, type ExportedAuditEntrySortKey } from './reading/client-audit.source.js';
export { AuditSealer } from './sealing/audit.sealer.js';
export { decryptCallers } from './trail/caller-encryption.js';
export { writeAuditEntry } from './trail/audit-entry.writer.js';
export { AuditTrail } from './trail/audit-trail.js';
export {
  logCommand,
  recordCommand,
  recordCommandAtNextStart,
  recordMigrateDownCommand,
  createAuditStatementRunner,
  type AuditedCommand,
} from './command/command-entry.js';
export { AuditVerifier, type AuditFinding, type ChainHead } from './sealing/audit.verifier.js';
export { parseChainHeads, formatChainHead } from './sealing/chain-heads.js';
export { CHAIN_WITHOUT_CLINIC } from './sealing/hash-chain.js';
export { recordSystemChange } from './trail/system-change.js';
