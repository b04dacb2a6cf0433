import { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** The number of guesses, as a power of ten, that a secret must withstand: about 66 bits. */
const MIN_GUESSES = 20;
/** Only this many characters of a secret are examined, because the estimate takes long for long texts. */
const MAX_EXAMINED_LENGTH = 64;
/** Words that occur in placeholders and examples, which attackers guess first. */
const COMMON_WORDS = [
  ...['secret', 'password', 'passphrase', 'token', 'key', 'jwt', 'change', 'changeme', 'replace', 'example', 'sample'],
  ...['development', 'production', 'test', 'testing', 'local', 'default', 'random', 'your', 'own', 'least', 'bytes'],
  ...['care', 'scheduling', 'clinic', 'admin', 'administrator', 'service', 'metrics', 'webhook', 'whsec'],
];
/** Cached estimates by secret, because the applications that a test process starts read the same secrets. */
const estimates = new Map<string, number>();
const MAX_ESTIMATES = 100;

const estimator = new ZxcvbnFactory({});

/** The error message for a secret that is easy to guess. It continues a sentence that begins with the variable name. */
export const WEAK_SECRET_MESSAGE =
  'is easy to guess: use random characters, for example those of `openssl rand -hex 32`';

/**
 * Estimates whether a secret is hard to guess: repetitions, sequences, dates and common words count little. A secret
 * of random bytes always passes; a long one that passes need not be random.
 */
export function isStrongSecret(secret: string): boolean {
  const known = estimates.get(secret);
  if (known !== undefined) return known >= MIN_GUESSES;
  if (estimates.size >= MAX_ESTIMATES) estimates.clear();
  const { guessesLog10 } = estimator.check(secret.slice(0, MAX_EXAMINED_LENGTH), COMMON_WORDS);
  estimates.set(secret, guessesLog10);
  return guessesLog10 >= MIN_GUESSES;
}
