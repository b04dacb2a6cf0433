import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';

/*
 * npm run start:dev: compiles and starts the server, and restarts it when a file in src is saved. If a file of the console
 * is saved, the console is built without a restart, and reloading the page shows the change. Options are passed to Node,
 * as in `npm run start:dev -- --inspect=9230`.
 *
 * `nest start --watch` is not used: because mikro-orm.config.ts is outside src, it would watch the whole folder,
 * including node_modules, and miss changes.
 */

const children: ChildProcess[] = [];

function run(args: string[], stdout: 'inherit' | 'pipe'): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ['inherit', stdout, 'inherit'] });
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
run(
  [
    ...['node_modules/vite/bin/vite.js', 'build', '--watch', '--clearScreen=false'],
    ...['--configLoader', 'native', 'src/console/web'],
  ],
  'inherit',
);
compiler.stdout?.once('data', () => {
  // SIGINT, because SIGTERM makes the server wait two seconds for load balancers.
  const watch = ['--watch', '--watch-preserve-output', '--watch-kill-signal=SIGINT'];
  run([...process.argv.slice(2), ...watch, 'dist/src/main.js'], 'inherit');
});
