import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import type { Account } from './service-process.js';

/** The account "node" of the image. */
const NODE: Account = { uid: 1000, gid: 1000 };

/**
 * Returns the account of the image if the tests run as root. Otherwise, they have no privileges themselves, and undefined
 * is returned; also if the account cannot read the checkout, because a home directory can be closed to others.
 */
export function findImageAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const reading = `await import('node:fs').then(({ accessSync }) => accessSync('dist/src/main.js'))`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', reading], NODE);
  if (status === 0) return NODE;
  process.stdout.write('Tested as root: the account of the image cannot read this directory.\n');
  return undefined;
}

/** Gives a file or directory the owner and the mode that it has in a container. */
export function giveToAccount(account: Account | undefined, path: string, mode: number): void {
  chmodSync(path, mode);
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}
