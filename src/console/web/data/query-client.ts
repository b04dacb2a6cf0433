import { isProblem } from '@care-scheduling/client';
import { QueryClient } from '@tanstack/preact-query';
import { signInState } from '../app/sign-in/sign-in.js';
import { connectionState } from './connection.js';

/** For this time, loaded data counts as current. Older data is loaded again when the tab gets the focus. */
const FRESH_MS = 10_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // The typed client retries requests itself, and `connectionState` reports a lost connection.
      retry: false,
      networkMode: 'always',
      refetchOnWindowFocus: true,
      // A request that was refused with 403 is not repeated each time the component is mounted.
      refetchOnMount: (query) => !isProblem(query.state.error, 'forbidden'),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// Data that was loaded for one caller must not be shown to another.
signInState.subscribe(() => queryClient.clear());

connectionState.subscribe(() => {
  if (connectionState.get() === 'connected') void queryClient.invalidateQueries();
});
