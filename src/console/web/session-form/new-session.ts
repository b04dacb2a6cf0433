import { toSessionTimesRequest, type SessionTimesFormValues } from './session-times.js';

/** The form values for one or several Sessions without a plan. */
export type NewSessionFormValues = {
  title: string;
  repeat: 'once' | 'weekly' | 'twoWeeks';
  count: string;
  caregiverId: number | undefined;
  when: SessionTimesFormValues;
};

const DAYS = { once: 7, weekly: 7, twoWeeks: 14 } as const;

export function checkNewSession({ title, repeat, count, caregiverId }: NewSessionFormValues, isClinic: boolean) {
  const isCount = /^\d{1,3}$/.test(count) && Number(count) >= 2 && Number(count) <= 100;
  return {
    ...(title.trim() === '' && { title: true }),
    ...(repeat !== 'once' && !isCount && { count: true }),
    ...(isClinic && caregiverId === undefined && { caregiverId: true }),
  };
}

export function toSessionRequest(
  { title, repeat, count, when }: NewSessionFormValues,
  { id: clientId, timeZone }: { id: number; timeZone: string | null },
) {
  const { offset, body } = toSessionTimesRequest(when, timeZone);
  const sessionCount = repeat === 'once' ? 1 : Number(count);
  return { offset, body: { ...body, clientId, title: title.trim(), sessionCount, intervalDays: DAYS[repeat] } };
}
