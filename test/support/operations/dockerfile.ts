import { readFileSync } from 'node:fs';

/** An instruction of the Dockerfile, with continuation lines joined, and the comment above it. */
type DockerfileInstruction = { comment: string | undefined; keyword: string; args: string };

export const dockerfile: readonly DockerfileInstruction[] = parseInstructions(readFileSync('Dockerfile', 'utf8'));

/** The instructions of the last stage, from which the image is built. */
export const finalStage = dockerfile.slice(dockerfile.findLastIndex(({ keyword }) => keyword === 'FROM'));

/** The environment variables that the image sets with ENV. */
export const imageEnvironment = Object.fromEntries(
  finalStage.filter(({ keyword }) => keyword === 'ENV').map(({ args }) => args.split('=') as [string, string]),
);

/** The directory of the image that becomes the key store: an empty volume takes on its owner and mode. */
export const keyStoreDirectory = findKeyStoreDirectory();

function findKeyStoreDirectory(): { mode: string; path: string } {
  const words = dockerfile.map(({ args }) => /^install --directory .*--mode=(\d+) (\/\S+)$/.exec(args));
  const [, mode, path] = words.find((match) => match !== null)!;
  return { mode: mode!, path: path! };
}

function parseInstructions(source: string): DockerfileInstruction[] {
  const found: DockerfileInstruction[] = [];
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
