import type { ChainHead } from './audit.verifier.js';

/*
 * Chain heads as lines of text. An operator keeps them outside the database, so that a later verification can detect
 * even a completely rewritten chain.
 */

/** Formats the last block as `head <clinic> <number> <hash>`, for example `head 5 12 9f86…`. */
export function formatChainHead({ chain, number, hash }: ChainHead): string {
  return `head ${chain} ${number} ${hash}`;
}

/** Parses the chain heads in the output of an earlier verification. Other lines are ignored. */
export function parseChainHeads(text: string): ChainHead[] {
  return [...text.matchAll(/^head (\d+) (\d+) ([\da-f]{64})$/gm)].map(([, chain, number, hash]) => ({
    chain: Number(chain),
    number: Number(number),
    hash: hash!,
  }));
}
