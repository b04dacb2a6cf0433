import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/components.css';
import './styles/overlays.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { startFocusRestoration } from './app/focus-restoration.js';
import { AppShell } from './app/shell.js';
import { startSignIn } from './app/sign-in/start-sign-in.js';
import { queryClient } from './data/query-client.js';

render(
  <QueryClientProvider client={queryClient}>
    <AppShell />
  </QueryClientProvider>,
  document.getElementById('console')!,
);
startFocusRestoration();
void startSignIn();
