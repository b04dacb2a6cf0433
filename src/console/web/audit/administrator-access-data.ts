import type { AdministratorAccess, AdministratorAccessPage } from '@care-scheduling/client';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';

/** How often the console checks whether an access is open. */
const POLL_INTERVAL_MS = 30_000;
const LIMIT = 10;

type AccessQuery = { isOpenOnly: boolean; cursor?: string | undefined };

/** Loads the administrators' accesses to the data of the Clinic, newest first. Nothing is loaded for other roles. */
export function useAdministratorAccesses({ isOpenOnly, cursor }: AccessQuery) {
  const { role } = requireSignedInCaller();
  const input = { limit: LIMIT, ...(isOpenOnly && { open: true }), ...(cursor !== undefined && { cursor }) };
  return useApiQuery<AdministratorAccessPage>({
    key: ['administrator-access', input],
    enabled: role === 'CLINIC',
    every: POLL_INTERVAL_MS,
    keepsPrevious: true,
    read: ({ clinic }, signal) => clinic.listAdministratorAccesses(input, { signal }),
  });
}

/** Ends an administrator's access before it expires. */
export function useEndAdministratorAccess(done: string) {
  return useApiMutation<number, AdministratorAccess>({
    change: ({ clinic }, id) => clinic.revokeAdministratorAccess({ id }),
    refreshes: [['administrator-access'], ['audit']],
    done: () => done,
  });
}

/** Returns the route of the audit trail that shows the requests made with an access. */
export const toAuditRouteOfAccess = ({ id }: AdministratorAccess) => `#/audit?record=administrator-access%2F${id}`;
