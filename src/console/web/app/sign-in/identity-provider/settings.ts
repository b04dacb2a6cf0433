/** The settings of the identity provider (environment variables `CONSOLE_…` and `JWT_…`). */
export type IdentityProviderSettings = {
  issuer: string;
  clientId: string;
  scope: string;
  audience?: { parameter: 'audience' | 'resource'; value: string };
  /** The path of the claim with the roles in an access token. */
  roleClaim: string;
};

/** Thrown if the provider no longer issues tokens, so that the user must sign in again. */
export class SignInEndedError extends Error {}

/** Why the user sees the sign-in page again. */
export type SignInNotice =
  | { kind: 'ended' }
  | { kind: 'no-role' }
  /** The provider has refused to sign the user in, for example because the user cancelled. */
  | { kind: 'refused'; code: string; description: string | undefined }
  /** This window was opened to sign in again, and the one with unsaved changes goes on. */
  | { kind: 'continued' }
  | { kind: 'failed' };

/** Reads the settings. Returns undefined if no provider is configured. */
export async function fetchIdentityProviderSettings(): Promise<IdentityProviderSettings | undefined> {
  const response = await fetch('/console/sign-in.json');
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const { provider } = (await response.json()) as { provider: IdentityProviderSettings | null };
  return provider ?? undefined;
}
