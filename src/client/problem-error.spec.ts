import { readFileSync } from 'node:fs';
import { isProblem, PROBLEM_CODES, toProblemError } from './problem-error.js';

const respond = (text: string, status = 409) =>
  toProblemError(new Response(text, { status, statusText: 'Text of the status' }), text, 3);

it('knows every problem code of the service', () => {
  const sources = ['application-error', 'problem'].map((name) => readFileSync(`src/shared/errors/${name}.ts`, 'utf8'));
  const named = [...sources.join('\n').matchAll(/(?:readonly code(?:: string)? =|^ {2}\d{3}:) '([a-z-]+)'/gm)];
  const codes = new Set(named.map(([, code]) => code!));
  expect(codes.size).toBeGreaterThan(10);
  expect([...codes].filter((code) => !(PROBLEM_CODES as readonly string[]).includes(code))).toEqual([]);
});

it('copies all fields of a problem', () => {
  const errors = [{ pointer: '/a', detail: 'b' }];
  const error = respond(
    JSON.stringify({
      type: 'urn:problem:conflict',
      title: 'T',
      status: 409,
      detail: 'D',
      instance: 'urn:uuid:1',
      errors,
    }),
  );
  expect(error).toMatchObject({ type: 'urn:problem:conflict', title: 'T', status: 409, detail: 'D', requestId: '1' });
  expect(error).toMatchObject({ errors, attempts: 3, message: '409 T: D' });
  expect([isProblem(error), isProblem(error, 'conflict'), isProblem(error, 'not-found')]).toEqual([true, true, false]);
});

it.each(['', '<html>', 'null', '[]', '5', '{"message":"no"}', '{"type":5,"status":"x"}'])(
  'reads an answer that is no problem: %s',
  (text) => {
    const error = respond(text, 502);
    expect(error).toMatchObject({ type: 'about:blank', status: 502, title: 'Text of the status', errors: [] });
    expect(error.requestId).toBeUndefined();
  },
);

it('reads the problem of a proxy that writes null for absent members, and errors by field', () => {
  const problem = { type: 'about:blank', title: null, status: 502, detail: null, instance: null, errors: { a: ['b'] } };
  const error = respond(JSON.stringify(problem), 502);
  expect(error).toMatchObject({ type: 'about:blank', status: 502, title: 'Error', detail: '', errors: [] });
  expect([error.requestId, error.message]).toEqual([undefined, '502 Error: ']);
});

it('does not treat other errors as problems', () => {
  expect([isProblem(new Error('x')), isProblem(undefined), isProblem({ type: 'urn:problem:conflict' })]).toEqual([
    ...[false, false, false],
  ]);
});
