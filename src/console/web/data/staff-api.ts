import type { CareProviderOperations, CareSchedulingClient, ClinicOperations } from '@care-scheduling/client';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';

type SharedName =
  | 'getSessionDigest'
  | 'getReminder'
  | 'getSession'
  | 'listReminders'
  | 'listSeries'
  | 'listSessions'
  | 'pauseSeries'
  | 'resumeSeries'
  | 'reviseSeries'
  | 'shiftSeries'
  | 'skipSeriesWeek'
  | 'completeSession'
  | 'markSessionNoShow'
  | 'undoSessionStep'
  | 'listDesignPlans'
  | 'getDesignPlan';

/** The operations that are available to both Care Providers and Clinics. */
export type StaffApi = Pick<CareProviderOperations, SharedName> & Pick<ClinicOperations, SharedName>;

export function isClinicSignedIn(): boolean {
  return requireSignedInCaller().role === 'CLINIC';
}

/** Returns the operations for the caller's role. Their inputs and responses are the same for both roles. */
export function getStaffApi({ clinic, careProvider }: CareSchedulingClient): StaffApi {
  return isClinicSignedIn() ? clinic : careProvider;
}
