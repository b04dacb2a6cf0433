// The door of authentication: other modules import from here and from nowhere deeper.
export { AccessGuard } from './access.guard.js';
export { authenticateRequests } from './authenticate-requests.js';
export { AuthModule } from './auth.module.js';
export { explainToken } from './explain-token.js';
export { DenyList } from './deny-list.js';
export { RevokedToken } from './revoked-token.entity.js';
export { REFUSALS, type RefusalReason } from './refusal.js';
export { RouteAccess } from './route-access.js';
export { signingSecret } from './secret.js';
export { lifetimeWithin, signToken, type TokenRequest } from './sign-token.js';
export { TokenVerifier } from './token-verifier.js';
