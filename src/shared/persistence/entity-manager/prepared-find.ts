import {
  isRaw,
  JsonType,
  LockMode,
  Utils,
  type EntityMetadata,
  type EntityProperty,
  type FindOptions,
  type Platform,
  type RawQueryFragment,
} from '@mikro-orm/core';
import { toArrayOfUnknownLength, toParameterType } from './array-parameter.js';
import { findShape, quoteIdentifier, toColumnList, type Column } from './entity-shape.js';
import { rememberUnreadableTexts, type UnreadableTexts } from '../encryption/unreadable-texts.js';

/*
 * Finds with plain conditions, built without MikroORM's query builder, which all other finds use. The text does not
 * depend on the values, so PostgreSQL prepares it once. For a request with two finds, this reduced the service's time
 * from 1.3 ms to 0.7 ms.
 */

/** If `text` is undefined, the condition can never be true, so no statement needs to be executed. */
export type PreparedFindStatement = { text?: string; values: unknown[] };
type FieldValues = Readonly<Record<string, unknown>>;

/** An SQL condition that is true for no row. */
const ALWAYS_FALSE = 'false';

/** The options of MikroORM's `find` that prepared finds support. */
const SUPPORTED_OPTIONS = new Set([
  'orderBy',
  'limit',
  'lockMode',
  'refresh',
  'disableIdentityMap',
  'exclude',
  'fields',
]);
const LOCK_CLAUSES = new Map<LockMode | undefined, string>([
  [undefined, ''],
  [LockMode.NONE, ''],
  [LockMode.PESSIMISTIC_READ, ' for share'],
  [LockMode.PESSIMISTIC_WRITE, ' for update'],
]);
const OPERATORS = new Map([
  ...([
    ['$eq', '='],
    ['$ne', '!='],
    ['$gt', '>'],
    ['$gte', '>='],
    ['$lt', '<'],
    ['$lte', '<='],
  ] as const),
  ['$ilike', 'ilike'],
]);

/** Builds the statement of a find. Returns undefined if the condition or an option is not supported. */
export function toPreparedFindStatement(
  meta: EntityMetadata,
  platform: Platform,
  where: unknown,
  options: FindOptions<object>,
): PreparedFindStatement | undefined {
  const lock = LOCK_CLAUSES.get(options.lockMode);
  const order = toOrderClause(meta, options.orderBy);
  if (!findShape(meta).hasOnlyScalarColumns || !Object.keys(options).every((name) => SUPPORTED_OPTIONS.has(name)))
    return undefined;
  const columns = toColumnList(meta, options);
  if (lock === undefined || order === undefined || columns === undefined || !Utils.isPlainObject(where))
    return undefined;
  const conditions = new ConditionBuilder(meta, platform);
  const condition = conditions.toCondition(where);
  if (condition === undefined) return undefined;
  if (condition === ALWAYS_FALSE) return { values: [] };
  const { values } = conditions;
  const limit = options.limit === undefined ? '' : ` limit $${values.push(options.limit)}`;
  const from = `select ${columns} from ${quoteIdentifier(meta.tableName)}`;
  return { text: `${from}${condition && ` where ${condition}`}${order}${limit}${lock}`, values };
}

/** Creates untracked entities from the rows of a find. */
export function toUntrackedEntities<Entity>(
  meta: EntityMetadata,
  platform: Platform,
  rows: readonly FieldValues[],
  unreadable?: ReadonlyMap<object, UnreadableTexts>,
): Entity[] {
  const { columns, EmptyEntity } = findShape(meta);
  return rows.map((row) => {
    const entity = new EmptyEntity();
    for (const { name, field, type } of columns) {
      const value = row[field];
      // The options `exclude` and `fields` of the find leave columns out.
      if (value === undefined) continue;
      entity[name] = value === null || type === undefined ? value : type.convertToJSValue(value, platform);
    }
    const texts = unreadable?.get(row);
    if (texts !== undefined) rememberUnreadableTexts(entity, toProperties(columns, texts));
    return entity as Entity;
  });
}

function toProperties(columns: readonly Column[], texts: UnreadableTexts): UnreadableTexts {
  const named = columns.map(({ name, field }): [string, string | undefined] => [name, texts.get(field)]);
  return new Map(named.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Builds conditions and collects their values. Returns undefined if any part of a condition is not supported. */
class ConditionBuilder {
  readonly values: unknown[] = [];

  constructor(
    private readonly meta: EntityMetadata,
    private readonly platform: Platform,
  ) {}

  toCondition(where: FieldValues): string | undefined {
    // MikroORM uses symbol keys for conditions on several columns or on expressions.
    if (Object.getOwnPropertySymbols(where).length > 0) return undefined;
    const before = this.values.length;
    const conditions = Object.entries(where).map(([name, value]) => this.toFieldCondition(name, value));
    if (conditions.includes(undefined)) return undefined;
    if (!conditions.includes(ALWAYS_FALSE)) return joinIfAllDefined(conditions, ' and ');
    // The values are discarded, because PostgreSQL rejects parameters that the text does not use.
    this.values.length = before;
    return ALWAYS_FALSE;
  }

  private toFieldCondition(name: string, expected: unknown): string | undefined {
    if (name === '$and' || name === '$or') return this.toLogicalCondition(expected, name);
    const prop = this.meta.properties[name as never] as EntityProperty | undefined;
    if (prop === undefined || prop.customType instanceof JsonType) return undefined;
    if (!Utils.isPlainObject(expected) || isRaw(expected)) return this.toComparison(prop, '$eq', expected);
    return joinIfAllDefined(
      Object.entries(expected).map(([operator, value]) => this.toComparison(prop, operator, value)),
      ' and ',
    );
  }

  private toLogicalCondition(conditions: unknown, name: '$and' | '$or'): string | undefined {
    if (!Array.isArray(conditions)) return undefined;
    const branches = (conditions as FieldValues[]).map((branch) => this.toCondition(branch));
    // An empty branch of `$or` would match all rows. MikroORM has its own rules for it.
    if (name === '$or' && (branches.length === 0 || branches.includes(''))) return undefined;
    if (name === '$and' && branches.includes(ALWAYS_FALSE)) return ALWAYS_FALSE;
    const condition = joinIfAllDefined(branches, name === '$and' ? ' and ' : ' or ');
    return condition && `(${condition})`;
  }

  private toComparison(prop: EntityProperty, operator: string, value: unknown): string | undefined {
    const column = quoteIdentifier(prop.fieldNames[0]!);
    if (operator === '$in' && Array.isArray(value) && value.length === 0) return ALWAYS_FALSE;
    if (operator === '$in') {
      if (!Array.isArray(value)) return undefined;
      const parameter = this.addValue(value.map((item) => toColumnValue(prop, item, this.platform)));
      const type = `${toParameterType(prop)}[]`;
      // Without the second cast, `any` would compare the column with the rows of the subquery.
      return `${column} = any(${toArrayOfUnknownLength(`${parameter}::${type}`)}::${type})`;
    }
    const comparison = OPERATORS.get(operator);
    if (isRaw(value) && !hasPlainPlaceholders(value)) return undefined;
    if (comparison === undefined || value === undefined || Array.isArray(value)) return undefined;
    if (value === null) return { $eq: `${column} is null`, $ne: `${column} is not null` }[operator];
    return `${column} ${comparison} ${this.addValue(isRaw(value) ? value : toColumnValue(prop, value, this.platform))}`;
  }

  private inlineRaw({ sql, params }: { sql: string; params: readonly unknown[] }): string {
    let next = 0;
    return sql.replaceAll('?', () => this.addValue(params[next++]));
  }

  private addValue(value: unknown): string {
    return isRaw(value) ? this.inlineRaw(value) : `$${this.values.push(value)}`;
  }
}

/** Whether `?` is the only placeholder in a raw fragment. MikroORM also supports `??`, `\?` and `[::alias::]`. */
function hasPlainPlaceholders({ sql, params }: RawQueryFragment): boolean {
  return !/\?\?|\\\?|\[::alias::\]/.test(sql) && params.every((value) => !isRaw(value) || hasPlainPlaceholders(value));
}

/** Joins conditions and omits empty ones. Returns undefined if any of them is undefined. */
function joinIfAllDefined(conditions: readonly (string | undefined)[], by: string): string | undefined {
  return conditions.includes(undefined) ? undefined : conditions.filter(Boolean).join(by);
}

function toOrderClause(meta: EntityMetadata, orderBy: unknown): string | undefined {
  if (orderBy === undefined) return '';
  if (!Utils.isPlainObject(orderBy) || Object.getOwnPropertySymbols(orderBy).length > 0) return undefined;
  const terms = Object.entries(orderBy).map(([name, direction]) => {
    const prop = meta.properties[name as never] as EntityProperty | undefined;
    if (prop === undefined || (direction !== 'asc' && direction !== 'desc')) return undefined;
    return `${quoteIdentifier(prop.fieldNames[0]!)} ${direction}`;
  });
  const order = joinIfAllDefined(terms, ', ');
  return order && ` order by ${order}`;
}

function toColumnValue({ customType }: EntityProperty, value: unknown, platform: Platform): unknown {
  return customType === undefined ? value : (customType.convertToDatabaseValue(value, platform) as unknown);
}
