import { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** Number of guesses that a secret must withstand, as a power of ten. It corresponds to about 66 random bits. */
const MIN_GUESSES = 20;
/** Maximum number of characters that are examined, because the estimate is slow for long texts. */
const MAX_EXAMINED_LENGTH = 64;
/** Common words in placeholders and examples, which attackers try first. */
const COMMON_WORDS = [
  ...['secret', 'password', 'passphrase', 'token', 'key', 'jwt', 'change', 'changeme', 'replace', 'example', 'sample'],
  ...['development', 'production', 'test', 'testing', 'local', 'default', 'random', 'your', 'own', 'least', 'bytes'],
  ...['care', 'scheduling', 'clinic', 'admin', 'administrator', 'service', 'metrics', 'webhook', 'whsec'],
];
/** Cached estimates, keyed by secret, because all applications of a test process check the same secrets. */
const estimates = new Map<string, number>();
const MAX_ESTIMATES = 100;

const estimator = new ZxcvbnFactory({});

/** The error message for a secret that is easy to guess. It continues a sentence that begins with the variable name. */
export const WEAK_SECRET_MESSAGE =
  'is easy to guess: use random characters, for example those of `openssl rand -hex 32`';

/**
 * Estimates whether a secret is hard to guess. Repetitions, sequences, dates and common words add little. A random
 * secret always passes, but a long secret may pass without being random.
 */
export function isStrongSecret(secret: string): boolean {
  const known = estimates.get(secret);
  if (known !== undefined) return known >= MIN_GUESSES;
  if (estimates.size >= MAX_ESTIMATES) estimates.clear();
  const { guessesLog10 } = estimator.check(secret.slice(0, MAX_EXAMINED_LENGTH), COMMON_WORDS);
  estimates.set(secret, guessesLog10);
  return guessesLog10 >= MIN_GUESSES;
}
