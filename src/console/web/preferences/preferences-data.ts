import type {
  CallOptions,
  CareSchedulingClient,
  PutClinicReminderPreference,
  PutReminderPreference,
  ReminderPreference,
} from '@care-scheduling/client';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { SESSION_QUERY_KEYS } from '../data/session-query-keys.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { isProblem } from '@care-scheduling/client';
import {
  keepStoredValues,
  toPreferenceBody,
  toPreferenceFormValues,
  type PreferenceBody,
  type PreferenceFormValues,
} from './preference-form.js';

const KEY = ['preferences'];

export function usePreference() {
  return useApiQuery<ReminderPreference>({
    key: KEY,
    read: (api, signal) => read(api, { signal }),
  });
}

function read({ clinic, careProvider, client }: CareSchedulingClient, options?: CallOptions) {
  const { role } = requireSignedInCaller();
  if (role === 'CLINIC') return clinic.getReminderPreference(options);
  return (role === 'CLIENT' ? client : careProvider).getReminderPreference(options);
}

/** `seen` is the preference with which the form was filled. */
export type PreferenceChange = { form: PreferenceFormValues; seen: ReminderPreference };

type PreferenceChangeOptions = {
  done: () => string;
  onDone: (stored: ReminderPreference, change: PreferenceChange) => void;
};

export function usePreferenceChange({ done, onDone }: PreferenceChangeOptions) {
  return useApiMutation<PreferenceChange, ReminderPreference>({
    change: async (api, { form, seen }) => {
      const isClinic = requireSignedInCaller().role === 'CLINIC';
      const stored = await read(api);
      const [first, now] = [seen, stored].map((preference) => toPreferenceFormValues(preference, isClinic));
      return put(api, toPreferenceBody(keepStoredValues(form, first!, now!), stored, isClinic));
    },
    // Upcoming reminders are replanned according to the new quiet hours.
    refreshes: [KEY, ['my-care'], ...SESSION_QUERY_KEYS],
    done,
    onDone,
    showsError: isRefusal,
  });
}

/** Whether the service does not accept the preference. The form shows why. */
export function isRefusal(error: unknown): boolean {
  return isProblem(error, 'invalid-request') || isProblem(error, 'unprocessable');
}

function put(
  { clinic, careProvider, client }: CareSchedulingClient,
  body: PreferenceBody & PutReminderPreference & PutClinicReminderPreference,
): Promise<ReminderPreference> {
  const { role } = requireSignedInCaller();
  if (role === 'CLINIC') return clinic.putReminderPreference({ body });
  return (role === 'CLIENT' ? client : careProvider).putReminderPreference({ body });
}
