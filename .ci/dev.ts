import { spawn, type ChildProcess } from 'node:child_process';

/*
 * npm run start:dev: compiles, starts the server, and restarts it whenever a file below src is saved.
 * Options are passed on to Node: `npm run start:dev -- --inspect=9230`.
 *
 * `nest start --watch` would watch the whole folder, node_modules included, because mikro-orm.config.ts lies beside src.
 * It then misses changes.
 */

const children: ChildProcess[] = [];

function run(args: string[], stdout: 'inherit' | 'pipe'): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ['inherit', stdout, 'inherit'] });
  children.push(child);
  // The compiler without the server is of no use, nor the other way round.
  child.once('exit', () => stop('SIGTERM'));
  return child;
}

function stop(signal: NodeJS.Signals): void {
  for (const child of children) child.kill(signal);
}

// Ctrl-C reaches the children without help, because they belong to the same terminal.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => stop('SIGTERM'));

const sources = ['src', 'mikro-orm.config.ts', '--out-dir', 'dist'];
const compiler = run(['node_modules/@swc/cli/bin/swc.js', ...sources, '--copy-files', '--watch'], 'pipe');
compiler.stdout?.pipe(process.stdout);
compiler.stdout?.once('data', () => {
  // With SIGTERM the server would wait two seconds for load balancers before it stops.
  const watch = ['--watch', '--watch-preserve-output', '--watch-kill-signal=SIGINT'];
  run(['--enable-source-maps', ...process.argv.slice(2), ...watch, 'dist/src/main.js'], 'inherit');
});
