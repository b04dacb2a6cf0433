// The door of authentication: other modules import from here and from nowhere deeper.
export { AuthModule } from './auth.module.js';
export { signToken, tokenClaims, type TokenRequest } from './token.js';
export { signingSecret } from './secret.js';
