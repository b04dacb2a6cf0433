/** The neutral words of a calendar: the title of discreet events, and the name of a feed. */
type CalendarTexts = { title: string; name: string };

const ENGLISH: CalendarTexts = { title: 'Appointment', name: 'Appointments' };
const TEXTS: ReadonlyMap<string, CalendarTexts> = new Map([
  ['en', ENGLISH],
  ['de', { title: 'Termin', name: 'Termine' }],
  ['es', { title: 'Cita', name: 'Citas' }],
  ['fr', { title: 'Rendez-vous', name: 'Rendez-vous' }],
]);

/** @param locale BCP 47 language tag. English is used for null and for languages without a translation. */
export function getCalendarTexts(locale: string | null): CalendarTexts {
  const [language = ''] = (locale ?? '').toLowerCase().split('-');
  return TEXTS.get(language) ?? ENGLISH;
}
