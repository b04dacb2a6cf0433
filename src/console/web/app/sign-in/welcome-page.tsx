import { useState } from 'preact/hooks';
import { useText } from '../../text/text.js';
import { Button, ButtonLink } from '../../ui/button.js';
import { Icon } from '../../ui/icon.js';
import { EmptyState, Skeleton } from '../../ui/states.js';
import { Page } from '../../ui/surface.js';
import { describeProblem } from '../../ui/describe-problem.js';
import { uiText } from '../../ui/ui.text.js';
import { appText } from '../app.text.js';
import { parseDemonstrationCaller } from './demonstration-caller.js';
import { signInAsDemonstrationCaller } from './demonstration-sign-in.js';
import { translateDemonstrationCallerName } from './demonstration-caller-name.js';
import { IdentityProviderSignInPage, RoleChoicePage } from './identity-provider/sign-in-page.js';
import { ROLE_ICONS } from './role-icons.js';
import type { SignInState } from './sign-in.js';
import { startSignIn } from './start-sign-in.js';

/** The callers of the first Clinic, which has most of the demonstration's data, and the administrator. */
const FIRST = ['Clinic 1', 'Care Provider 1', 'Care Provider 2', 'Client 1', 'Administrator'];

/** The page for visitors who are not signed in. */
export function WelcomePage({ state }: { state: Exclude<SignInState, { kind: 'signed-in' }> }) {
  const text = useText(appText);
  if (state.kind === 'starting') return <Skeleton rows={3} shape="card" />;
  if (state.kind === 'demonstration') return <DemonstrationPeople callers={state.callers} />;
  if (state.kind === 'provider') return <IdentityProviderSignInPage {...state} />;
  if (state.kind === 'roles') return <RoleChoicePage {...state} />;
  if (state.kind === 'impossible')
    return (
      <Page title={text.providerTitle} width="narrow" intro={text.providerText}>
        <div class="row">
          <span class="quiet">{text.providerHint}</span>
          <ButtonLink href="/docs">{text.apiDocumentation}</ButtonLink>
        </div>
      </Page>
    );
  return (
    <Page title={text.unreachableTitle} width="narrow">
      <EmptyState
        icon="refresh"
        title={text.unreachableText}
        action={<Button onClick={() => void startSignIn()}>{text.tryNow}</Button>}
      />
    </Page>
  );
}

function DemonstrationPeople({ callers }: { callers: readonly string[] }) {
  const text = useText(appText);
  const first = FIRST.filter((caller) => callers.includes(caller));
  const more = callers.filter((caller) => !FIRST.includes(caller));
  return (
    <Page title={text.welcomeTitle} width="narrow" intro={text.welcomeIntro}>
      <People callers={first} />
      {more.length > 0 && (
        <details class="people-more">
          <summary>{text.moreTitle}</summary>
          <People callers={more} />
        </details>
      )}
    </Page>
  );
}

function People({ callers }: { callers: readonly string[] }) {
  const text = useText(appText);
  const [error, setError] = useState<unknown>();
  const shared = useText(uiText);
  const choose = (caller: string) => {
    setError(undefined);
    signInAsDemonstrationCaller(caller).catch(setError);
  };
  return (
    <>
      {error !== undefined && (
        <p class="field-error" role="alert">
          {text.refusedTitle}: {describeProblem(error, shared).title}
        </p>
      )}
      <ul class="people">
        {callers.map((caller) => (
          <li key={caller}>
            <button type="button" class="person" onClick={() => choose(caller)}>
              <span class="person-icon">
                <Icon name={ROLE_ICONS[parseDemonstrationCaller(caller).role]} size={22} />
              </span>
              <span>
                <span class="person-name">{translateDemonstrationCallerName(caller, text)}</span>
                <span class="person-task">{text.roleTasks[parseDemonstrationCaller(caller).role]}</span>
              </span>
              <Icon name="arrow" />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
