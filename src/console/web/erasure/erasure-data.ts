import type { Erasure, LegalHold } from '@care-scheduling/client';
import { useApiMutation } from '../data/use-api-mutation.js';
import { ALL_QUERIES, useApiQuery } from '../data/use-api-query.js';

const AREA = 'erasure';
/** An erasure also changes the record of the Client, so that record is loaded again as well. */
const REFRESHES = [[AREA], ['client-record']];

export type ErasureAndLegalHold = { hold: LegalHold; newest: Erasure | undefined; clinicTimeZone: string };

/** Loads the legal hold of a Client, the Client's newest erasure, and the time zone of the Clinic, whose staff confirms it. */
export function useErasureAndLegalHold(clientId: number) {
  return useApiQuery<ErasureAndLegalHold>({
    key: [AREA, clientId],
    read: async ({ clinic }, signal) => {
      const [hold, page, preference] = await Promise.all([
        clinic.getLegalHold({ id: clientId }, { signal }),
        clinic.listClientErasures({ id: clientId, limit: 1 }, { signal }),
        clinic.getReminderPreference({ signal }),
      ]);
      return { hold, newest: page.items[0], clinicTimeZone: preference.effective.timeZone };
    },
  });
}

export type ErasureReason = Erasure['reason'];
export type LegalHoldReason = NonNullable<LegalHold['reason']>;

/** Requests an erasure. `caseReference` is empty if the user has entered none. */
export function useErasureRequest(id: number) {
  return useApiMutation<{ reason: ErasureReason; caseReference: string }, Erasure>({
    change: ({ clinic }, { reason, caseReference }) =>
      clinic.createClientErasure({ id, body: { reason, caseReference: caseReference.trim() || null } }),
    refreshes: REFRESHES,
  });
}

export function useErasureConfirmation(id: number, done: string, onDone: () => void) {
  return useApiMutation<number, Erasure>({
    change: ({ clinic }, erasureId) => clinic.confirmClientErasure({ id, erasureId }),
    refreshes: ALL_QUERIES,
    done: () => done,
    onDone,
  });
}

/** Sets a legal hold for a reason, or lifts it. */
export function useLegalHoldChange(id: number) {
  return useApiMutation<LegalHoldReason | 'LIFT', unknown>({
    change: ({ clinic }, change) =>
      change === 'LIFT' ? clinic.deleteLegalHold({ id }) : clinic.putLegalHold({ id, body: { reason: change } }),
    refreshes: REFRESHES,
  });
}
