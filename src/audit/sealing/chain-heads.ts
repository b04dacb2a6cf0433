import type { ChainHead } from './audit.verifier.js';

/* The heads of the chains as lines of text, to be kept where no administrator of the database can write. */

/** `head 5 12 <hash>`: the Clinic, the number of its last block, the hash of that. */
export function formatChainHead({ chain, number, hash }: ChainHead): string {
  return `head ${chain} ${number} ${hash}`;
}

/** The heads among the lines of an earlier verification; other lines are passed over. */
export function parseChainHeads(text: string): ChainHead[] {
  return [...text.matchAll(/^head (\d+) (\d+) ([\da-f]{64})$/gm)].map(([, chain, number, hash]) => ({
    chain: Number(chain),
    number: Number(number),
    hash: hash!,
  }));
}
