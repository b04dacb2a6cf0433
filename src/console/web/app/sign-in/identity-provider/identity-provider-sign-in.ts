import { isLeaveGuardActive } from '../../leave-guard.js';
import { replaceRoute } from '../../router.js';
import { signInState, type Role, type SignedInCaller } from '../sign-in.js';
import { takePendingSignIn } from './pending-sign-in.js';
import type { SignInNotice, IdentityProviderSettings } from './settings.js';
import { endedSignIn } from './ended-sign-in.js';
import { isAnswer, passAnswerOn } from './new-window.js';
import type { IdentityProviderTokens } from './tokens.js';
import { readTokenRoles } from './token-roles.js';

/** Completes a sign-in after the provider's redirect, or offers to sign in. */
export async function completeOrOfferSignIn(settings: IdentityProviderSettings): Promise<void> {
  const pending = takePendingSignIn();
  const answer = new URLSearchParams(window.location.search);
  const isReturn = isAnswer(answer);
  // Removes the code, which can be used only once, from the URL and the history.
  if (window.location.search !== '') window.history.replaceState(window.history.state, '', `/${window.location.hash}`);
  if (!isReturn || pending === undefined) {
    const isTaken = isReturn && (await passAnswerOn(answer));
    signInState.set({ kind: 'provider', settings, ...(isTaken && { notice: { kind: 'continued' } }) });
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
export async function redirectToIdentityProvider(settings: IdentityProviderSettings): Promise<void> {
  const { requestAuthorization } = await import('./authorization.js');
  await requestAuthorization(settings, window.location.hash.slice(1) || '/');
}

type Account = { settings: IdentityProviderSettings; tokens: IdentityProviderTokens; roles: readonly Role[] };

/** Signs the caller in with the only role, or lets the user choose one of several roles. */
function offerRoles(account: Account): void {
  const [only, ...more] = account.roles;
  if (only === undefined)
    signInState.set({ kind: 'provider', settings: account.settings, notice: { kind: 'no-role' } });
  else if (more.length === 0) actAs(account, only);
  else signInState.set({ kind: 'roles', roles: account.roles, choose: (role) => actAs(account, role) });
}

function actAs(account: Account, role: Role): void {
  signInState.set({ kind: 'signed-in', caller: new IdentityProviderCaller(account, role) });
}

class IdentityProviderCaller implements SignedInCaller {
  constructor(
    private readonly account: Account,
    readonly role: Role,
  ) {}

  get id(): string {
    return `${this.role} ${this.account.tokens.subject}`;
  }

  get roles(): readonly Role[] {
    return this.account.roles;
  }

  get name(): string {
    return this.account.tokens.name ?? '';
  }

  async getToken(isRefused: boolean): Promise<string> {
    try {
      return await this.account.tokens.getAccessToken(isRefused);
    } catch (error) {
      // A TypeError means that there is no connection, so a later renewal may succeed.
      if (!(error instanceof TypeError)) this.end();
      throw error;
    }
  }

  readonly actAs = (role: Role): void => actAs(this.account, role);

  async signOut(): Promise<void> {
    this.offerSignIn();
    await this.account.tokens.signOut();
  }

  /** Offers to sign in. A page with unsaved changes stays, because the user can save them after signing in again. */
  private end(): void {
    const { account } = this;
    if (!isLeaveGuardActive()) this.offerSignIn({ kind: 'ended' });
    else if (endedSignIn.get() === undefined)
      endedSignIn.set({
        settings: account.settings,
        resume: (tokens) => {
          if (tokens.subject !== account.tokens.subject) return false;
          account.tokens = tokens;
          endedSignIn.set(undefined);
          return true;
        },
      });
  }

  private offerSignIn(notice?: SignInNotice): void {
    endedSignIn.set(undefined);
    signInState.set({ kind: 'provider', settings: this.account.settings, ...(notice && { notice }) });
  }
}

/**
 * Converts an error of oauth4webapi to a notice. If the provider refused the request, the error contains its `error`
 * and `error_description` (RFC 6749, section 4.1.2.1).
 */
function toNotice(error: unknown): SignInNotice {
  const { error: code, error_description: description } = error as { error?: unknown; error_description?: unknown };
  if (typeof code !== 'string') return { kind: 'failed' };
  return { kind: 'refused', code, description: typeof description === 'string' ? description : undefined };
}
