// Public interface of this module. Other modules import nothing else from it.
export { AccessGuard } from './access/access.guard.js';
export { AdministratorAccess, ROLES_ENDING_ACCESS } from './administrator-access/administrator-access.entity.js';
export { OpenAccessResolver } from './administrator-access/open-access-resolver.js';
export { authenticateRequests } from './access/authenticate-requests.js';
export { AuthModule } from './auth.module.js';
export { explainToken } from './jwt/explain-token.js';
export { DenyList } from './revocation/deny-list.js';
export { TokenHolderRevocations } from './revocation/token-holder-revocations.js';
export { RevokedTokenHolder } from './revocation/revoked-token-holder.entity.js';
export { ROLES_WITH_RECORD, type RoleWithRecord, type TokenHolder } from './revocation/token-holder.js';
export { MAX_CLOCK_SKEW_SECONDS, subjectSchema } from './token/token-claims.js';
export { RevokedTokenService } from './revocation/revoked-token.service.js';
export { RevokedToken } from './revocation/revoked-token.entity.js';
export { RouteAccessRegistry } from './access/route-access-registry.js';
export { getOrCreateSigningSecret } from './keys/signing-secret.js';
export { limitTokenLifetime, signToken } from './jwt/sign-token.js';
export { ACCESS_REASONS_TO_ERASE } from './administrator-access/access-reason-erasure.js';
export { REVOKED_TOKEN_HOLDER_ROWS_TO_ERASE } from './revocation/token-holder-erasure.js';
