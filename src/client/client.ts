import { createApiPromise, createListPromise, type ApiPromise } from './api-promise.js';
import { createExportPromise } from './export-promise.js';
import { operations, type Operations } from './generated.js';
import type { CallOptions, ClientOptions, OperationDescription, OperationInput } from './operation.js';
import { prepareRequest } from './request.js';
import { RequestSender } from './request-sender.js';

/** A client for the service. It has one method for each operation that requires a token, grouped by role. */
export type CareSchedulingClient = Operations;

/** Values of the `Acting-Role` header, which selects one of several roles in a token. */
const ACTING_ROLES = { admin: 'ADMIN', clinic: 'CLINIC', careProvider: 'CARE_PROVIDER', client: 'CLIENT' } as const;

/** Creates a client. Nothing is sent until a method is called. */
export function createClient(options: ClientOptions): CareSchedulingClient {
  const sender = new RequestSender(options);
  const groups = Object.entries(ACTING_ROLES).map(([role, actingRole]) => [
    role,
    Object.fromEntries(
      Object.entries<OperationDescription>(operations[role as keyof Operations]).map(([name, operation]) => [
        name,
        createMethod(operation, sender, { baseUrl: options.baseUrl, actingRole }),
      ]),
    ),
  ]);
  return Object.fromEntries(groups) as CareSchedulingClient;
}

type Target = { baseUrl: string; actingRole: string };

function createMethod(operation: OperationDescription, sender: RequestSender, { baseUrl, actingRole }: Target) {
  const prepare = (input: OperationInput, options: CallOptions) => {
    const request = prepareRequest(baseUrl, operation, input, options);
    const { administratorAccess } = options;
    request.headers['acting-role'] = administratorAccess === undefined ? actingRole : ACTING_ROLES.admin;
    if (administratorAccess !== undefined) request.headers['administrator-access'] = String(administratorAccess);
    return request;
  };
  // The function is async so that a missing path parameter or version rejects the promise instead of throwing.
  const send = async (input: OperationInput, options: CallOptions) => sender.send(prepare(input, options), options);
  const open = async (input: OperationInput, options: CallOptions, mediaType: string) => {
    const request = prepare(input, options);
    request.headers['accept'] = `${mediaType}, application/problem+json`;
    return sender.open(request, options);
  };
  return (...given: readonly (OperationInput | CallOptions | undefined)[]): ApiPromise<unknown> => {
    const [input = {}, options = {}] = (operation.noInput ? [{}, ...given] : given) as [OperationInput?, CallOptions?];
    if (operation.streamed)
      return createExportPromise(
        () => send(input, options),
        (mediaType) => open(input, options, mediaType),
        options.signal,
      );
    const response = send(input, options);
    if (!operation.paged) return createApiPromise(response);
    return createListPromise(response, (cursor) => send({ ...input, cursor }, options), operation.paged);
  };
}
