import { HttpException, Logger, NotFoundException, type ArgumentsHost } from '@nestjs/common';
import {
  ConflictError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PreconditionFailedError,
  PreconditionRequiredError,
  UnauthenticatedError,
  UnprocessableError,
} from './application-error.js';
import { ProblemFilter } from './problem.filter.js';
import type { Problem } from './problem.js';

Logger.overrideLogger(false);

type Sent = { status: number; headers: Record<string, string>; type: string; body: Problem };

const REQUEST_ID = '018f3b1e-7c1a-7000-8000-000000000000';

function answerTo(error: unknown, authorization?: string): Sent {
  const sent: Partial<Sent> = {};
  const reply = {
    removeHeader: () => reply,
    status: (status: number) => (Object.assign(sent, { status }), reply),
    headers: (headers: Record<string, string>) => (Object.assign(sent, { headers }), reply),
    type: (type: string) => (Object.assign(sent, { type }), reply),
    send: (text: string) => Object.assign(sent, { body: JSON.parse(text) as Problem }),
  };
  const request = { id: REQUEST_ID, headers: { authorization }, routeOptions: { config: {} } };
  const http = { getRequest: () => request, getResponse: () => reply };
  new ProblemFilter().catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return sent as Sent;
}

const databaseError = (code: string) => Object.assign(new Error('insert into client values (canary)'), { code });

it.each<[unknown, number, string]>([
  [new InvalidRequestError([{ pointer: '/a', detail: 'b' }]), 400, 'invalid-request'],
  [new UnauthenticatedError(), 401, 'unauthenticated'],
  [new ForbiddenError(), 403, 'forbidden'],
  [new NotFoundError(), 404, 'not-found'],
  [new ConflictError('x'), 409, 'conflict'],
  [new PreconditionFailedError(), 412, 'precondition-failed'],
  [new UnprocessableError([{ pointer: '/a', detail: 'b' }]), 422, 'unprocessable'],
  [new PreconditionRequiredError(), 428, 'precondition-required'],
  [new NotFoundException('Cannot GET /canary'), 404, 'not-found'],
  [new HttpException('canary', 503), 503, 'service-unavailable'],
  [Object.assign(new Error('canary'), { statusCode: 413 }), 413, 'content-too-large'],
  [databaseError('22P02'), 400, 'invalid-request'],
  [databaseError('22003'), 400, 'invalid-request'],
  [databaseError('22021'), 400, 'invalid-request'],
  [databaseError('23505'), 409, 'conflict'],
  [databaseError('CM409'), 409, 'clinic-moved'],
  [databaseError('40P01'), 503, 'service-unavailable'],
  [databaseError('53300'), 503, 'service-unavailable'],
  [databaseError('53100'), 503, 'service-unavailable'],
  [databaseError('58030'), 503, 'service-unavailable'],
  [databaseError('57014'), 503, 'service-unavailable'],
  [databaseError('55P03'), 503, 'service-unavailable'],
  [databaseError('25P03'), 503, 'service-unavailable'],
  [databaseError('57P01'), 503, 'service-unavailable'],
  [databaseError('08006'), 503, 'service-unavailable'],
  [databaseError('ECONNREFUSED'), 503, 'service-unavailable'],
  [new Error('timeout exceeded when trying to connect'), 503, 'service-unavailable'],
  ...['25006', '42P01', '3D000', '3F000', '28P01', '55000', '26000', '0A000', 'F0000', 'XX000', 'XX001', 'XX002'].map(
    (sqlState): [unknown, number, string] => [databaseError(sqlState), 503, 'service-unavailable'],
  ),
  [databaseError('EHOSTUNREACH'), 503, 'service-unavailable'],
  [databaseError('42601'), 500, 'internal-server-error'],
  [databaseError('42501'), 500, 'internal-server-error'],
  [new Error('canary'), 500, 'internal-server-error'],
  ['canary', 500, 'internal-server-error'],
  [undefined, 500, 'internal-server-error'],
])('%s becomes %i %s, without internal details', (error, status, code) => {
  const { body, ...sent } = answerTo(error);
  expect([sent.status, sent.type]).toEqual([status, 'application/problem+json']);
  expect(body).toMatchObject({ status, type: `urn:problem:${code}`, instance: `urn:uuid:${REQUEST_ID}` });
  expect(JSON.stringify(body)).not.toMatch(/canary|insert/);
  expect(sent.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
});

it('names each field of a malformed request', () => {
  const violations = [{ pointer: '/weeks/0/ordering', detail: 'must be an integer' }];
  expect(answerTo(new InvalidRequestError(violations)).body.errors).toEqual(violations);
});

it('sends a challenge to a caller without a token, and reports an invalid token', () => {
  expect(answerTo(new UnauthenticatedError()).headers['www-authenticate']).toBe('Bearer');
  expect(answerTo(new UnauthenticatedError(), 'bearer x').headers['www-authenticate']).toBe(
    'Bearer error="invalid_token"',
  );
});

it('logs the class and the stack frames of an unexpected error, but never its message', () => {
  const lines: { error: string; frames: string[] }[] = [];
  const keep = (line: { error: string; frames: string[] }) => void lines.push(line);
  Logger.overrideLogger({ log: keep, warn: keep, error: keep });
  // Imitates the driver, which appends the stack frames of an earlier error.
  const previous = new Error('insert into session values (canary\n    at canary (file:///canary.js:1:1))');
  const error = new Error(previous.message);
  const frames = previous.stack!.split('\n').filter((line) => line.trim().startsWith('at '));
  error.stack = `${error.stack!}\n\n${frames.join('\n')}`;
  answerTo(error);
  Logger.overrideLogger(false);
  expect(lines).toEqual([expect.objectContaining({ requestId: REQUEST_ID, error: 'Error' })]);
  expect(lines[0]!.frames[0]).toContain('problem.filter.spec');
  expect(JSON.stringify(lines)).not.toMatch(/canary|insert/);
});
