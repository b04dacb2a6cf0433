import type { QuietHours, ReminderPreference } from '@care-scheduling/client';

/** Which quiet hours apply: those of the Clinic (`default`), those in the form (`own`), or none. */
export type QuietHoursMode = 'default' | 'own' | 'none';
export type ReminderKind = ReminderPreference['optedOut'][number];
const REMINDER_KINDS: readonly ReminderKind[] = ['SESSION', 'HOMEWORK'];

export type PreferenceFormValues = {
  mode: QuietHoursMode;
  from: string;
  to: string;
  optedOut: ReminderKind[];
  revealing: boolean;
};

const SUGGESTED: QuietHours = { from: '21:00', to: '08:00' };
const MINUTES = 24 * 60;

/**
 * Returns the form values for a preference.
 *
 * @param isClinic whether the preference is that of a Clinic, which inherits no quiet hours
 */
export function toPreferenceFormValues(preference: ReminderPreference, isClinic: boolean): PreferenceFormValues {
  const { quietHours, noQuietHours, optedOut, revealing, effective } = preference;
  const { from, to } = quietHours ?? effective.quietHours ?? SUGGESTED;
  const unset: QuietHoursMode = isClinic || noQuietHours ? 'none' : 'default';
  // Always in the same order, because the values are compared.
  const kinds = REMINDER_KINDS.filter((kind) => optedOut.includes(kind));
  return { mode: quietHours === null || noQuietHours ? unset : 'own', from, to, optedOut: kinds, revealing };
}

/**
 * Returns the form values with the stored values of everything that the user has not changed. So a form that has been
 * open for a while does not take back an opt-out by the link of a message.
 *
 * @param seen the values with which the form was filled
 */
export function keepStoredValues(
  form: PreferenceFormValues,
  seen: PreferenceFormValues,
  stored: PreferenceFormValues,
): PreferenceFormValues {
  const hasSameHours = form.mode === seen.mode && form.from === seen.from && form.to === seen.to;
  const { mode, from, to } = hasSameHours ? stored : form;
  const isOut = (kind: ReminderKind, { optedOut }: PreferenceFormValues) => optedOut.includes(kind);
  return {
    ...{ mode, from, to },
    optedOut: REMINDER_KINDS.filter((kind) => isOut(kind, isOut(kind, form) === isOut(kind, seen) ? stored : form)),
    revealing: form.revealing === seen.revealing ? stored.revealing : form.revealing,
  };
}

export type PreferenceBody = {
  channels: string[] | null;
  quietHours: QuietHours | null;
  noQuietHours: boolean;
  optedOut?: ReminderKind[];
  revealing?: boolean;
};

/** Creates the request body. Settings that the form does not show are kept. */
export function toPreferenceBody(
  form: PreferenceFormValues,
  { channels }: ReminderPreference,
  isClinic: boolean,
): PreferenceBody {
  const { mode, from, to, optedOut, revealing } = form;
  return {
    channels,
    quietHours: mode === 'own' ? { from, to } : null,
    noQuietHours: mode === 'none' && !isClinic,
    ...(isClinic ? { revealing } : { optedOut }),
  };
}

/** A part of a day. `start` and `end` are fractions of the day, from 0 to 1. */
export type ShareOfDay = { start: number; end: number };

/** Returns the parts of a day that are quiet. Quiet hours that cross midnight yield two parts. */
export function toQuietSharesOfDay({ from, to }: QuietHours): ShareOfDay[] {
  const [start, end] = [toShare(from), toShare(to)];
  if (start === undefined || end === undefined || start === end) return [];
  if (start < end) return [{ start, end }];
  const parts = [
    { start: 0, end },
    { start, end: 1 },
  ];
  return parts.filter((part) => part.start < part.end);
}

function toShare(time: string): number | undefined {
  const found = /^(\d\d):(\d\d)$/.exec(time);
  return found === null ? undefined : (Number(found[1]) * 60 + Number(found[2])) / MINUTES;
}
