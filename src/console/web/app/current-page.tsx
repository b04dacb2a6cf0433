import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import { ButtonLink } from '../ui/button.js';
import { EmptyState, ErrorState, Skeleton } from '../ui/states.js';
import { Page } from '../ui/surface.js';
import { appText } from './app.text.js';
import { ErrorBoundary } from './error-boundary.js';
import { FailedPage } from './failed-page.js';
import { matchPath } from './path.js';
import { useRouteLocation } from './router.js';
import { listRoutesOfRole, type PageProps, type Route } from './routes.js';
import type { Role } from './sign-in/sign-in.js';

/** The components of the pages that have been loaded. */
const loaded = new Map<Route, ComponentType<PageProps>>();

/** Renders the page of the current route. */
export function CurrentPage({ role }: { role: Role }) {
  const { path, query } = useRouteLocation();
  const routes = listRoutesOfRole(role);
  if (path === '/') {
    const [start] = routes;
    return start === undefined ? <NoPage /> : <LoadedPage route={start} params={{}} query={query} />;
  }
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params !== undefined) return <LoadedPage key={path} route={route} params={params} query={query} />;
  }
  return <NotFound />;
}

function LoadedPage({ route, ...props }: PageProps & { route: Route }) {
  const [error, setError] = useState<unknown>();
  const [, renderAgain] = useState(0);
  const load = () => {
    setError(undefined);
    route.load().then((page) => {
      loaded.set(route, page.default);
      renderAgain((count) => count + 1);
    }, setError);
  };
  const PageComponent = loaded.get(route);
  useEffect(() => {
    // `load` also runs if another component has loaded the page since this render, because it renders this one again.
    if (PageComponent === undefined) load();
  }, [route]);
  if (PageComponent !== undefined)
    return (
      <ErrorBoundary key={route.path}>
        <PageComponent {...props} />
      </ErrorBoundary>
    );
  if (error !== undefined)
    return (
      <FailedPage>
        <ErrorState error={error} onRetry={load} />
      </FailedPage>
    );
  return <Skeleton rows={4} shape="card" />;
}

function NotFound() {
  const text = useText(appText);
  return (
    <Page title={text.notFoundTitle} width="narrow">
      <EmptyState icon="search" title={text.notFoundText} action={<ButtonLink href="#/">{text.home}</ButtonLink>} />
    </Page>
  );
}

function NoPage() {
  const text = useText(appText);
  return (
    <Page title={text.homeTitle} width="narrow">
      <EmptyState icon="people" title={text.homeText} />
    </Page>
  );
}
