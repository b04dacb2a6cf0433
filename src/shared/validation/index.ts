export { foldAliases } from './alias.js';
export { REQUEST_EXAMPLES, requestMeta, SECOND_SPELLINGS, type RequestExample } from './documentation.js';
export { MAX_JSON_DEPTH, parseJsonBody } from './json-body.js';
export { nearestName } from './nearest-name.js';
export {
  afterCursor,
  cursorOf,
  instantKey,
  invalidCursor,
  pageOf,
  pageQuery,
  pageSchema,
  type Page,
  type PageQuery,
} from './page.js';
export { idQuery, instantQuery } from './query-types.js';
export { SchemaPipe, toPointer, toViolations } from './schema-pipe.js';
export {
  hourMinute,
  idParam,
  integerBetween,
  listOf,
  longId,
  name,
  optionalLongId,
  optionalText,
  slashDate,
  text,
  timeZone,
} from './wire-types.js';
