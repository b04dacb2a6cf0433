import type {
  CareSchedulingClient,
  PutClinicReminderPreference,
  PutReminderPreference,
  ReminderPreference,
} from '@care-scheduling/client';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { isProblem } from '@care-scheduling/client';
import type { PreferenceBody } from './preference-form.js';

const KEY = ['preferences'];

export function usePreference() {
  const { role } = requireSignedInCaller();
  return useApiQuery<ReminderPreference>({
    key: KEY,
    read: ({ clinic, careProvider, client }, signal) => {
      if (role === 'CLINIC') return clinic.getReminderPreference({ signal });
      return (role === 'CLIENT' ? client : careProvider).getReminderPreference({ signal });
    },
  });
}

export function usePreferenceChange(done: () => string) {
  return useApiMutation<PreferenceBody, ReminderPreference>({
    change: put,
    // Upcoming reminders are replanned according to the new quiet hours.
    refreshes: [KEY, ['outbox'], ['my-care'], ['week']],
    done,
    showsError: (error) => isProblem(error, 'invalid-request') || isProblem(error, 'unprocessable'),
  });
}

function put(
  { clinic, careProvider, client }: CareSchedulingClient,
  body: PreferenceBody & PutReminderPreference & PutClinicReminderPreference,
): Promise<ReminderPreference> {
  const { role } = requireSignedInCaller();
  if (role === 'CLINIC') return clinic.putReminderPreference({ body });
  return (role === 'CLIENT' ? client : careProvider).putReminderPreference({ body });
}
