import { execFileSync } from 'node:child_process';

it('V8 has the undocumented option that limits how much the heap grows between collections', () => {
  expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(
    '--heap-growing-percent (specifies heap growing factor as (1 + heap_growing_percent/100))',
  );
});
