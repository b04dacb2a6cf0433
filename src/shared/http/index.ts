export { CLIENT_DATA_CACHE_CONTROL } from './cache-control.js';
export { chooseAllowedOrigin } from './headers.js';
export { createServerOptions, enforceHttpRules } from './server.js';
export { compressResponses } from './compression.js';
export { forEachServer } from './for-each-server.js';
export { readConsistencyToken, setConsistencyToken } from './consistency-token.js';
export { answerConditionalReads } from './conditional-reads.js';
export { addVary } from './vary.js';
export {
  ApiIfMatch,
  ApiPutConditions,
  ETAG_RESPONSE_HEADER,
  IfMatchVersion,
  OptionalIfMatchVersion,
  PutConditions,
  withEtagHeader,
} from './etag.js';
export { escapeHtml } from './escape-html.js';
export { KeyedLimit } from './keyed-limit.js';
export { chooseMediaType, NDJSON_MEDIA_TYPE } from './media-type.js';
export { SPECIFIED_RESPONSE_HEADERS, addResponseHeaders } from './headers.js';
export { MAX_BODY_BYTES, discardFormBodies, acceptJsonBodies } from './json-body-parser.js';
export {
  answerExpectContinue,
  closeConnectionAfterReply,
  closeConnectionsAfterUnreadBodies,
} from './connection-close.js';
export { ApiNdjson, NdjsonBody, toNdjson, acceptNdjsonBodies, type NdjsonLine, type NdjsonRequest } from './ndjson.js';
export { isHealthProbe, limitConcurrentRequests, refuseWhenOverloaded } from './overload.js';
export {
  ApiCreatedByPut,
  RECORD_LOCATION_HEADER,
  setLocation,
  getRecordLocation,
  setPutStatusAndLocation,
} from './location.js';
export { ERROR_DESCRIPTIONS, Operation, type ErrorStatus, type OperationOptions } from './operation.decorator.js';
export { OTHER_MEDIA_KEY } from './success-response.js';
export { getActor, isReadOnly, isSafeMethod, setActor } from './request-actor.js';
export { AddRouteConfig } from './route-config.js';
export { readPreferences, addPreferenceApplied, WantsRepresentation } from './prefer.js';
export { refuseUnknownInput } from './unknown-input.js';
