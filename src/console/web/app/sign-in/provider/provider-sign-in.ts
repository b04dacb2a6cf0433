import { replaceRoute } from '../../router.js';
import { signInState, type Role, type SignIn } from '../sign-in.js';
import { takePendingSignIn } from './pending-sign-in.js';
import type { ProviderNotice, ProviderSettings } from './provider-settings.js';
import type { ProviderTokens } from './provider-tokens.js';
import { readTokenRoles } from './token-roles.js';

/** Completes a sign-in after the provider's redirect, or offers to sign in. */
export async function startProviderSignIn(settings: ProviderSettings): Promise<void> {
  const pending = takePendingSignIn();
  const answer = new URLSearchParams(window.location.search);
  const isReturn = answer.has('state') && (answer.has('code') || answer.has('error'));
  // Removes the code, which can be used only once, from the URL and the history.
  if (window.location.search !== '') window.history.replaceState(null, '', `/${window.location.hash}`);
  if (!isReturn || pending === undefined) {
    signInState.set({ kind: 'provider', settings });
    return;
  }
  try {
    const { completeAuthorization } = await import('./authorization.js');
    const tokens = await completeAuthorization(settings, pending, answer);
    const roles = readTokenRoles(await tokens.getAccessToken(), settings.roleClaim);
    replaceRoute(pending.returnTo);
    offerRoles({ settings, tokens, roles });
  } catch (error) {
    signInState.set({ kind: 'provider', settings, notice: toNotice(error) });
  }
}

/** Redirects to the provider's page. @throws if the provider cannot be reached */
export async function signInWithProvider(settings: ProviderSettings): Promise<void> {
  const { requestAuthorization } = await import('./authorization.js');
  await requestAuthorization(settings, window.location.hash.slice(1) || '/');
}

type Caller = { settings: ProviderSettings; tokens: ProviderTokens; roles: readonly Role[] };

/** Signs the caller in with the only role, or lets the user choose one of several roles. */
function offerRoles(caller: Caller): void {
  const [only, ...more] = caller.roles;
  if (only === undefined) signInState.set({ kind: 'provider', settings: caller.settings, notice: { kind: 'no-role' } });
  else if (more.length === 0) actAs(caller, only);
  else signInState.set({ kind: 'roles', roles: caller.roles, choose: (role) => actAs(caller, role) });
}

function actAs(caller: Caller, role: Role): void {
  signInState.set({ kind: 'signed-in', signIn: new ProviderSignIn(caller, role) });
}

class ProviderSignIn implements SignIn {
  constructor(
    private readonly caller: Caller,
    readonly role: Role,
  ) {}

  get id(): string {
    return `${this.role} ${this.caller.tokens.subject}`;
  }

  get roles(): readonly Role[] {
    return this.caller.roles;
  }

  get name(): string {
    return this.caller.tokens.name ?? '';
  }

  async getToken(isRefused: boolean): Promise<string> {
    try {
      return await this.caller.tokens.getAccessToken(isRefused);
    } catch (error) {
      // A TypeError means that there is no connection, so a later renewal may succeed.
      if (!(error instanceof TypeError)) this.offerSignIn({ kind: 'ended' });
      throw error;
    }
  }

  readonly actAs = (role: Role): void => actAs(this.caller, role);

  async signOut(): Promise<void> {
    this.offerSignIn();
    await this.caller.tokens.signOut();
  }

  private offerSignIn(notice?: ProviderNotice): void {
    signInState.set({ kind: 'provider', settings: this.caller.settings, ...(notice && { notice }) });
  }
}

/**
 * Converts an error of oauth4webapi to a notice. If the provider refused the request, the error contains its `error`
 * and `error_description` (RFC 6749, section 4.1.2.1).
 */
function toNotice(error: unknown): ProviderNotice {
  const { error: code, error_description: description } = error as { error?: unknown; error_description?: unknown };
  if (typeof code !== 'string') return { kind: 'failed' };
  return { kind: 'refused', code, description: typeof description === 'string' ? description : undefined };
}
