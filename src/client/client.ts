import { createCall, createListCall, type ApiCall } from './api-call.js';
import { operations, type Operations } from './generated.js';
import type { CallOptions, ClientOptions, OperationDescription, OperationInput } from './operation.js';
import { prepareRequest } from './request.js';
import { Sender } from './sender.js';

/** A client of the service: one method for each operation that needs a token. */
export type CareSchedulingClient = Operations;

/** Creates a client. Nothing is sent until a method is called. */
export function createClient(options: ClientOptions): CareSchedulingClient {
  const sender = new Sender(options);
  const methods = Object.entries(operations).map(([name, operation]) => [
    name,
    createMethod(operation, options.baseUrl, sender),
  ]);
  return Object.fromEntries(methods) as CareSchedulingClient;
}

function createMethod(operation: OperationDescription, baseUrl: string, sender: Sender) {
  // Async, so that an input without a path parameter or a version rejects like all other errors.
  const send = async (input: OperationInput, options: CallOptions) =>
    sender.send(prepareRequest(baseUrl, operation, input, options), options);
  return (...given: readonly (OperationInput | CallOptions | undefined)[]): ApiCall<unknown> => {
    const [input = {}, options = {}] = (operation.noInput ? [{}, ...given] : given) as [OperationInput?, CallOptions?];
    const response = send(input, options);
    if (!operation.paged) return createCall(response);
    return createListCall(response, (cursor) => send({ ...input, cursor }, options));
  };
}
