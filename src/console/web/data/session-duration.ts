/** The longest duration of a Session. A Session that takes place now began at most this long ago. */
export const MAX_SESSION_MINUTES = 720;
