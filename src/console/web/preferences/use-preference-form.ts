import type { ReminderPreference } from '@care-scheduling/client';
import { useEffect, useState } from 'preact/hooks';
import { getText } from '../text/text.js';
import { keepStoredValues, toPreferenceFormValues, type PreferenceFormValues } from './preference-form.js';
import { usePreferenceChange } from './preferences-data.js';
import { preferencesText } from './preferences.text.js';

/**
 * Manages the form values of a preference. Everything that the user has not changed follows the stored preference, for
 * example after an opt-out by the link of a message.
 */
export function usePreferenceForm(preference: ReminderPreference, isClinic: boolean) {
  const [seen, setSeen] = useState(preference);
  const toValues = (one: ReminderPreference) => toPreferenceFormValues(one, isClinic);
  const [form, setForm] = useState(() => toValues(preference));
  const follow = (base: PreferenceFormValues, stored: ReminderPreference) => {
    setSeen(stored);
    setForm((current) => keepStoredValues(current, base, toValues(stored)));
  };
  useEffect(() => follow(toValues(seen), preference), [preference]);
  const change = usePreferenceChange({
    done: () => getText(preferencesText).saved,
    // Changes that the user has made during the request stay in the form.
    onDone: (stored, { form: sent }) => follow(sent, stored),
  });
  return {
    form,
    set: (part: Partial<PreferenceFormValues>) => setForm((current) => ({ ...current, ...part })),
    undo: () => setForm(toValues(seen)),
    isChanged: JSON.stringify(form) !== JSON.stringify(toValues(seen)),
    change,
    save: () => change.mutate({ form, seen }),
  };
}
