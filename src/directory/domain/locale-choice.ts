/** Returns the BCP 47 language tag of a person: their own, or the Clinic's if they have none. Null means English. */
export function chooseLocale(person: { locale: string | null }, clinic: { locale: string | null }): string | null {
  return person.locale ?? clinic.locale;
}
