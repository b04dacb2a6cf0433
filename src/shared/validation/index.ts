export { acceptAliases } from './alias.js';
export { REQUEST_EXAMPLES_KEY, requestMeta, ALIASES_KEY, type RequestExample } from './documentation.js';
export { parseJsonBody } from './json-body.js';
export { formatNameSuggestion } from './nearest-name.js';
export {
  parseCursor,
  toCursor,
  cursorInstantSchema,
  invalidCursorError,
  toPage,
  pageQuery,
  pageSchema,
  countedPageSchema,
  countItemsIfRequested,
  countQuery,
  type CountMode,
  type Page,
  type PageQuery,
} from './page.js';
export {
  booleanQuery,
  instantQuery,
  isoInstant,
  idListQuery,
  enumListQuery,
  nameListQuery,
  uuidListQuery,
  sortQuery,
  type SortOrder,
} from './query-types.js';
export {
  openSyncPass,
  takeSyncChanges,
  TOMBSTONE_RETENTION,
  toSyncPage,
  type SyncChanges,
  type SyncPass,
  type SyncPosition,
} from './sync.js';
export { syncPageSchema, syncQuery, uuidSyncPageSchema, type SyncPage } from './sync-schemas.js';
export { includeQuery } from './include-query.js';
export { nameMissingMembers, SchemaPipe, toPointer, toViolations } from './schema-pipe.js';
export { findUnknownFields, pickDeclaredFields, toSentPointer } from './unknown-fields.js';
export {
  hourMinute,
  idParam,
  idParamWithExample,
  integerBetween,
  integerFrom,
  optionalList,
  longId,
  requiredText,
  safeInteger,
  optionalLongId,
  optionalText,
  optionalTitle,
  slashDate,
  storableText,
  timeZone,
} from './wire-types.js';
