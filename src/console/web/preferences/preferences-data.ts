import type {
  CareSchedulingClient,
  PutClinicReminderPreference,
  PutReminderPreference,
  ReminderPreference,
} from '@care-scheduling/client';
import { requireSignIn } from '../app/sign-in/sign-in.js';
import { useChange } from '../data/use-change.js';
import { useRead } from '../data/use-read.js';
import { isProblem } from '@care-scheduling/client';
import type { PreferenceBody } from './preference-form.js';

const KEY = ['preferences'];

export function usePreference() {
  const { role } = requireSignIn();
  return useRead<ReminderPreference>({
    key: KEY,
    read: ({ clinic, careProvider, client }, signal) => {
      if (role === 'CLINIC') return clinic.getReminderPreference({ signal });
      return (role === 'CLIENT' ? client : careProvider).getReminderPreference({ signal });
    },
  });
}

export function usePreferenceChange(done: () => string) {
  return useChange<PreferenceBody, ReminderPreference>({
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
  const { role } = requireSignIn();
  if (role === 'CLINIC') return clinic.putReminderPreference({ body });
  return (role === 'CLIENT' ? client : careProvider).putReminderPreference({ body });
}
