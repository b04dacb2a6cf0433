import { readFileSync } from 'node:fs';

/** One instruction of the Dockerfile, with continued lines joined, and the comment above it. */
export type Instruction = { comment: string | undefined; keyword: string; args: string };

export const dockerfile: readonly Instruction[] = parseInstructions(readFileSync('Dockerfile', 'utf8'));

/** The instructions of the last stage, which makes the image. */
export const finalStage = dockerfile.slice(dockerfile.findLastIndex(({ keyword }) => keyword === 'FROM'));

/** The variables that ENV sets in the image. */
export const imageEnvironment = Object.fromEntries(
  finalStage.filter(({ keyword }) => keyword === 'ENV').map(({ args }) => args.split('=') as [string, string]),
);

function parseInstructions(source: string): Instruction[] {
  const found: Instruction[] = [];
  let comment: string | undefined;
  for (const line of source.replaceAll('\\\n', ' ').split('\n')) {
    if (line.startsWith('#')) comment = line.slice(2);
    else if (line === '') comment = undefined;
    else {
      const [keyword, ...words] = line.split(/\s+/);
      found.push({ comment, keyword: keyword!, args: words.join(' ') });
      comment = undefined;
    }
  }
  return found;
}
