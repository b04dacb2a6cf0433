import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Starts a process that runs `script` with the log destination as `standardOutput`. */
function run(script: string): ChildProcess {
  const program = `const { standardOutput } = await import('./src/shared/log/standard-output.ts');\n${script}`;
  return spawn(process.execPath, ['--import', './.ci/source.ts', '--input-type=module', '--eval', program]);
}

async function readOutput(script: string): Promise<string> {
  const child = run(script);
  const [output] = await Promise.all([text(child.stdout!), once(child, 'close')]);
  return output;
}

const LINES = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}\n`).join('');
const WRITE_LINES = 'for (let number = 1; number <= 1000; number += 1) standardOutput.write(`line ${number}\\n`);\n';

it('writes all lines in their order when the process ends by itself', async () => {
  expect(await readOutput(`standardOutput.write('first\\n');\n${WRITE_LINES}`)).toBe(`first\n${LINES}`);
});

it.each([
  ['exits', 'process.exit(0);'],
  ['fails with an error', `throw new Error('failed');`],
])('writes each line once when the process %s', async (_what, end) => {
  const output = await readOutput(`${WRITE_LINES}${end}`);
  expect(output.split('\n').toSorted()).toEqual(LINES.split('\n').toSorted());
});

it('writes lines soon, without further ones', async () => {
  // The process reads its input, so that it does not end.
  const child = run(`process.stdin.resume();\nstandardOutput.write('alone\\n');`);
  const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
  expect([String(chunk), child.exitCode]).toEqual(['alone\n', null]);
  child.stdin!.end();
  await once(child, 'close');
});

it('writes lines that are given during a write', async () => {
  const script = `
    process.stdin.resume();
    ${WRITE_LINES}
    setImmediate(() => standardOutput.write('last\\n'));`;
  const child = run(script);
  let output = '';
  for await (const chunk of child.stdout!) {
    output += String(chunk);
    if (output.endsWith('last\n')) child.stdin!.end();
  }
  expect(output).toBe(`${LINES}last\n`);
});

it('flush resolves once all earlier lines are written, also while others follow', async () => {
  const script = `
    const others = setInterval(() => standardOutput.write('other\\n'), 0);
    ${WRITE_LINES}
    standardOutput.write('mine\\n');
    await standardOutput.flush();
    process.kill(process.pid, 'SIGKILL');`;
  expect(await readOutput(script)).toMatch(new RegExp(`^${LINES}mine\n(other\n)*$`));
});

it('flush without lines resolves', async () => {
  expect(await readOutput(`await standardOutput.flush();\nstandardOutput.write('end\\n');`)).toBe('end\n');
});

it('many calls of flush that wait at the same time cause no warning', async () => {
  const child = run(`
    standardOutput.write('line\\n'.repeat(100_000));
    await Promise.all(Array.from({ length: 100 }, () => standardOutput.flush()));`);
  const [output, errors] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')]);
  expect([output.length, errors]).toEqual([500_000, '']);
});

it('flush rejects when the reader has gone, and the process goes on', async () => {
  const script = `
    import { once } from 'node:events';
    await once(process.stdin.resume(), 'end');
    for (const line of ['a', 'b']) {
      standardOutput.write(line);
      await standardOutput.flush().then(() => console.error('written'), (error) => console.error(error.code));
    }`;
  const child = run(script);
  child.stdout!.destroy();
  await once(child.stdout!, 'close');
  child.stdin!.end();
  const [errors, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  expect([errors, code]).toEqual(['EPIPE\nEPIPE\n', 0]);
});
