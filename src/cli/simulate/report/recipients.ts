import type { Lane } from './weekly-events.js';

/** Who is reminded in which lane. */
export const RECIPIENTS: Readonly<Record<Lane, string>> = {
  CLIENT_SESSION: 'Client',
  CLIENT_HOMEWORK: 'Client',
  CARE_PROVIDER: 'Care Provider',
};
