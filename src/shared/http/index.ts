export { serverOptions, useHttpRules } from './server.js';
export { ApiIfMatch, etag, SeenVersion } from './etag.js';
export { SPECIFIED_HEADERS, useHeaders } from './headers.js';
export { BODY_LIMIT, useIgnoredForms, useJsonBodies } from './json-body-parser.js';
export { ApiLines, Lines, MAX_LINES, NDJSON, toLines, useLineBodies, type Line } from './lines.js';
export { isProbe, limitRequestsAtWork, refuseUnderPressure } from './overload.js';
export { ApiCreatedByPut, created, locationOf, put } from './location.js';
export { HANDLED, Operation, type ErrorStatus, type Handled, type OperationOptions } from './operation.decorator.js';
export { actorOf, isReading, setActor } from './acting-request.js';
