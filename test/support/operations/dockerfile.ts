import { readFileSync } from 'node:fs';

/** One instruction of the Dockerfile, its continued lines joined, with the comment right above it. */
export type Instruction = { comment: string | undefined; keyword: string; words: string };

export const dockerfile: readonly Instruction[] = instructions(readFileSync('Dockerfile', 'utf8'));

/** The instructions of the last stage, which is what the image is made of. */
export const lastStage = dockerfile.slice(dockerfile.findLastIndex(({ keyword }) => keyword === 'FROM'));

/** What ENV gives to every process of the image. */
export const environmentOfImage = Object.fromEntries(
  lastStage.filter(({ keyword }) => keyword === 'ENV').map(({ words }) => words.split('=') as [string, string]),
);

function instructions(source: string): Instruction[] {
  const found: Instruction[] = [];
  let comment: string | undefined;
  for (const line of source.replaceAll('\\\n', ' ').split('\n')) {
    if (line.startsWith('#')) comment = line.slice(2);
    else if (line === '') comment = undefined;
    else {
      const [keyword, ...words] = line.split(/\s+/);
      found.push({ comment, keyword: keyword!, words: words.join(' ') });
      comment = undefined;
    }
  }
  return found;
}
