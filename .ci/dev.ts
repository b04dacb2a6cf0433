import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';

/*
 * npm run start:dev: compiles and starts the server, and restarts it when a file in src is saved. If a file of the console
 * is saved, the console is built without a restart, and reloading the page shows the change. Options are passed to Node,
 * as in `npm run start:dev -- --inspect=9230`.
 *
 * `nest start --watch` is not used: because mikro-orm.config.ts is outside src, it would watch the whole folder,
 * including node_modules, and miss changes.
 */

const children: ChildProcess[] = [];

function run(args: string[], output: 'inherit' | 'pipe'): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ['inherit', output, output] });
  children.push(child);
  // If the compiler or the server exits, the other is stopped as well.
  child.once('exit', () => stop('SIGTERM'));
  return child;
}

function stop(signal: NodeJS.Signals): void {
  for (const child of children) child.kill(signal);
}

// Does nothing, because the terminal also sends Ctrl-C to the children.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => stop('SIGTERM'));

// The template of the last build would lack later edits of its migrations.
rmSync('dist/embedded-database', { recursive: true, force: true });

const sources = ['src', 'mikro-orm.config.ts', '--out-dir', 'dist'];
const compiler = run(['node_modules/@swc/cli/bin/swc.js', ...sources, '--copy-files', '--watch'], 'pipe');
compiler.stdout?.pipe(process.stdout);
compiler.stderr?.pipe(process.stderr);
run(
  [
    ...['node_modules/vite/bin/vite.js', 'build', '--watch', '--clearScreen=false'],
    ...['--configLoader', 'native', 'src/console/web'],
  ],
  'inherit',
);
compiler.stdout?.once('data', () => {
  compiler.stderr?.setEncoding('utf8').on('data', restartForCopiedFile);
  // SIGINT, because SIGTERM makes the server wait two seconds for load balancers.
  const watch = ['--watch', '--watch-preserve-output', '--watch-kill-signal=SIGINT'];
  run([...process.argv.slice(2), ...watch, 'dist/src/main.js'], 'inherit');
});

/** The server reads texts and templates once. `--watch` sees modules only, so a copied file also changes main.js. */
function restartForCopiedFile(output: string): void {
  if (/^Successfully copied src\/(?!console\/web\/)/m.test(output)) appendFileSync('dist/src/main.js', '\n');
}
