import { useState } from 'preact/hooks';
import { useText } from '../../../text/text.js';
import { Button } from '../../../ui/button.js';
import { Icon } from '../../../ui/icon.js';
import { Notice, Page } from '../../../ui/surface.js';
import { appText } from '../../app.text.js';
import { ROLE_ICONS } from '../role-icons.js';
import type { Role } from '../sign-in.js';
import { redirectToIdentityProvider } from './identity-provider-sign-in.js';
import type { SignInNotice, IdentityProviderSettings } from './settings.js';
import { identityProviderText } from './identity-provider.text.js';

/**
 * The sign-in page if an identity provider is configured. A notice tells the user why a sign-in has failed or ended.
 */
export function IdentityProviderSignInPage({
  settings,
  notice,
}: {
  settings: IdentityProviderSettings;
  notice?: SignInNotice;
}) {
  const text = useText(identityProviderText);
  const [isLeaving, setLeaving] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const signIn = () => {
    setLeaving(true);
    setFailed(false);
    redirectToIdentityProvider(settings)
      .catch(() => setFailed(true))
      // This page may stay, for example if the user stops the navigation, or come back as it was left, with “Back”.
      .finally(() => setLeaving(false));
  };
  return (
    <Page title={text.title} width="narrow" intro={text.intro}>
      <div class="stack">
        {hasFailed ? (
          <Notice tone="danger" title={text.unreachableTitle}>
            <p>{text.unreachable}</p>
          </Notice>
        ) : (
          notice !== undefined && <WhatHappened notice={notice} />
        )}
        <div class="sign-in">
          <Button variant="primary" icon="key" isBusy={isLeaving} onClick={signIn}>
            {text.signIn}
          </Button>
          <p class="small quiet">{text.leadsTo(new URL(settings.issuer).host)}</p>
        </div>
      </div>
    </Page>
  );
}

function WhatHappened({ notice }: { notice: SignInNotice }) {
  const text = useText(identityProviderText);
  if (notice.kind === 'ended')
    return (
      <Notice tone="attention" title={text.endedTitle}>
        <p>{text.ended}</p>
      </Notice>
    );
  if (notice.kind === 'continued')
    return (
      <Notice tone="good" title={text.continuedTitle}>
        <p>{text.continued}</p>
      </Notice>
    );
  if (notice.kind === 'no-role')
    return (
      <Notice tone="danger" title={text.noRoleTitle}>
        <p>{text.noRole}</p>
      </Notice>
    );
  if (notice.kind === 'failed')
    return (
      <Notice tone="danger" title={text.failedTitle}>
        <p>{text.failed}</p>
      </Notice>
    );
  return (
    <Notice tone="danger" title={text.refusedTitle}>
      {notice.description !== undefined && <p>{text.itsWords(notice.description)}</p>}
      <p class="small">
        <code>{notice.code}</code>
      </p>
    </Notice>
  );
}

/** A page on which a caller with several roles chooses one. */
export function RoleChoicePage({ roles, choose }: { roles: readonly Role[]; choose: (role: Role) => void }) {
  const text = useText(identityProviderText);
  const { roles: names, roleTasks } = useText(appText);
  return (
    <Page title={text.rolesTitle} width="narrow" intro={text.rolesIntro}>
      <ul class="people">
        {roles.map((role) => (
          <li key={role}>
            <button type="button" class="person" onClick={() => choose(role)}>
              <span class="person-icon">
                <Icon name={ROLE_ICONS[role]} size={22} />
              </span>
              <span>
                <span class="person-name">{names[role]}</span>
                <span class="person-task">{roleTasks[role]}</span>
              </span>
              <Icon name="arrow" />
            </button>
          </li>
        ))}
      </ul>
    </Page>
  );
}
