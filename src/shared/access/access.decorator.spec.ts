import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Access, ACCESS_METADATA_KEY, Caller, PUBLIC } from './access.decorator.js';
import type { Principal } from './principal.js';

class Routes {
  @Access('CLINIC')
  clinicOnly(@Caller() _caller: Principal): void {}
  @Access(PUBLIC)
  open(): void {}
}

it('@Access stores the role of a route', () => {
  const { clinicOnly, open } = Object.getOwnPropertyDescriptors(Routes.prototype);
  expect(
    [clinicOnly, open].map(({ value }) => Reflect.getMetadata(ACCESS_METADATA_KEY, value as object) as unknown),
  ).toEqual(['CLINIC', 'PUBLIC']);
});

describe('@Caller()', () => {
  /** Calls the parameter decorator as Nest does. */
  const readCaller = (request: { user?: Principal }): unknown => {
    const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, Routes, 'clinicOnly') as object;
    const [{ factory }] = Object.values(parameters) as [{ factory: (data: unknown, context: unknown) => unknown }];
    return factory(undefined, new ExecutionContextHost([request]));
  };

  it('returns the principal that the guard has set', () => {
    const user: Principal = { role: 'CLINIC', subject: 'user-1', clinicId: 7 };
    expect(readCaller({ user })).toBe(user);
  });

  it('throws on a route without a principal', () => {
    expect(() => readCaller({})).toThrow('@Caller() is not available on a public route');
  });
});
