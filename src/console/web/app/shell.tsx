import { useText } from '../text/text.js';
import { AdministratorAccessBanner } from '../audit/administrator-access-banner.js';
import { Menu } from '../ui/choice.js';
import { Icon } from '../ui/icon.js';
import { Toasts } from '../ui/toast.js';
import { appText } from './app.text.js';
import { ConnectionBanner } from './connection-banner.js';
import { CurrentPage } from './current-page.js';
import { matchPath } from './path.js';
import { useRouteLocation } from './router.js';
import { listRoutesOfRole } from './routes.js';
import { SettingsMenu } from './settings-menu.js';
import { EndedSignInBanner } from './sign-in/identity-provider/ended-sign-in-banner.js';
import { PersonMenu } from './sign-in/person-menu.js';
import { signInState, type Role } from './sign-in/sign-in.js';
import { WelcomePage } from './sign-in/welcome-page.js';
import { useStore } from './store.js';

/** The frame of all pages: header, navigation, messages, and the page itself. */
export function AppShell() {
  const text = useText(appText);
  const state = useStore(signInState);
  const role = state.kind === 'signed-in' ? state.caller.role : undefined;
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        {text.skip}
      </a>
      <header class="header no-print">
        <div class="header-inner">
          <a class="brand" href="#/">
            <Logo />
            <span>{text.product}</span>
          </a>
          {role !== undefined && <Navigation role={role} />}
          <div class="header-end">
            <SettingsMenu />
            {state.kind === 'signed-in' && <PersonMenu caller={state.caller} />}
          </div>
        </div>
        <ConnectionBanner />
        <EndedSignInBanner />
        {role === 'CLINIC' && <AdministratorAccessBanner />}
      </header>
      <main id="content" class="main" tabIndex={-1}>
        {state.kind === 'signed-in' ? (
          <CurrentPage key={state.caller.id} role={state.caller.role} />
        ) : (
          <WelcomePage state={state} />
        )}
      </main>
      <Toasts />
    </>
  );
}

/** Moves the focus to the content. A normal link would change the hash and thereby the route. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/**
 * Shows links to the pages of the role, either in the header or, on narrow screens, in a menu. If there is only one
 * page, nothing is shown.
 */
function Navigation({ role }: { role: Role }) {
  const text = useText(appText);
  const { path } = useRouteLocation();
  const routes = listRoutesOfRole(role);
  const entries = routes.filter(({ entry }) => entry !== undefined);
  if (entries.length < 2) return null;
  const current = path === '/' ? routes[0] : routes.find((route) => matchPath(route.path, path) !== undefined);
  const links = entries.map((route) => (
    <li key={route.path}>
      <a class="nav-link" href={`#${route.path}`} aria-current={route === current ? 'page' : undefined}>
        <Icon name={route.entry!.icon} size={18} />
        <span>{route.entry!.label(text)}</span>
      </a>
    </li>
  ));
  return (
    <>
      <nav class="nav nav-wide" aria-label={text.navigation}>
        <ul class="nav-list">{links}</ul>
      </nav>
      <div class="nav-narrow">
        <Menu label={text.menu} icon="menu">
          <nav aria-label={text.navigation}>
            <ul class="menu-list">{links}</ul>
          </nav>
        </Menu>
      </div>
    </>
  );
}

function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" />
      <path d="M9 17.5l4.6 4.6L23.5 11" />
    </svg>
  );
}
