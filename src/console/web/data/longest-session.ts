/** The longest duration of a Session, in hours. A Session that takes place now began at most this long ago. */
export const LONGEST_SESSION_HOURS = 12;
