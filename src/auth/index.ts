// Public interface of this module. Other modules import nothing else from it.
export { AccessGuard } from './access/access.guard.js';
export { AdministratorAccess, ENDED_BY, type EndedBy } from './administrator-access/administrator-access.entity.js';
export { OpenAccesses } from './administrator-access/open-accesses.js';
export { authenticateRequests } from './access/authenticate-requests.js';
export { AuthModule } from './auth.module.js';
export { explainToken } from './jwt/explain-token.js';
export { DenyList } from './revocation/deny-list.js';
export { HolderRevocations } from './revocation/holder-revocations.js';
export { RevokedTokenHolder } from './revocation/revoked-token-holder.entity.js';
export { RECORD_ROLES, type RecordRole, type TokenHolder } from './revocation/token-holder.js';
export { MAX_CLOCK_SKEW_SECONDS, subjectSchema } from './token/token-claims.js';
export { RevokedTokenService } from './revocation/revoked-token.service.js';
export { RevokedToken } from './revocation/revoked-token.entity.js';
export { REFUSAL_REASONS, type RefusalReason } from './token/token-refusal.js';
export { RouteAccess } from './access/route-access.js';
export { getSigningSecret } from './keys/signing-secret.js';
export { limitLifetime, signToken, type SignTokenOptions } from './jwt/sign-token.js';
export { TokenVerifier } from './jwt/token-verifier.js';
