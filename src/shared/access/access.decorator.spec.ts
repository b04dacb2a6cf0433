import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Access, ACCESS_METADATA, Caller, PUBLIC } from './access.decorator.js';
import type { Principal } from './principal.js';

class Routes {
  @Access('CLINIC')
  ofClinics(@Caller() _caller: Principal): void {}
  @Access(PUBLIC)
  ofEverybody(): void {}
}

it('a route says who may call it', () => {
  const { ofClinics, ofEverybody } = Object.getOwnPropertyDescriptors(Routes.prototype);
  expect(
    [ofClinics, ofEverybody].map(({ value }) => Reflect.getMetadata(ACCESS_METADATA, value as object) as unknown),
  ).toEqual(['CLINIC', 'PUBLIC']);
});

describe('@Caller()', () => {
  /** As Nest calls it. */
  const callerOf = (request: { user?: Principal }): unknown => {
    const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, Routes, 'ofClinics') as object;
    const [{ factory }] = Object.values(parameters) as [{ factory: (data: unknown, context: unknown) => unknown }];
    return factory(undefined, new ExecutionContextHost([request]));
  };

  it('is whom the guard has let in', () => {
    const user: Principal = { role: 'CLINIC', subject: 'somebody', clinicId: 7 };
    expect(callerOf({ user })).toBe(user);
  });

  it('is nobody only by mistake', () => {
    expect(() => callerOf({})).toThrow('@Caller() stands on a route that is open to everybody');
  });
});
