import type {
  DocumentedOperation,
  OpenApiDocument,
  Operation,
  Parameter,
  Response,
  Schema,
} from './client-operations.js';

/* Reads from the OpenAPI document what an operation returns, also with `Prefer` (RFC 7240). */

type Results = {
  types: Operation['types'];
  schemas: Schema[];
  paged: Operation['entry']['paged'];
  isStreamed: boolean;
  /** The description of the usual response. */
  returns: string;
};

const NDJSON = 'application/x-ndjson';
const JSON_TYPE = 'application/json';

export function describeResults(
  operation: DocumentedOperation,
  parameters: readonly Parameter[],
  document: OpenApiDocument,
): Results {
  const responses = Object.entries(operation.responses)
    .filter(([status]) => /^2|^304$/.test(status))
    .map(([status, response]) => ({ status, ...resolve(response, document.components.responses) }));
  const usual = responses.filter((response) => response['x-preference'] === undefined);
  const preferred = responses.find((response) => response['x-preference'] === 'return=representation');
  const representation = operation['x-representation'] ?? preferred?.content?.[JSON_TYPE]?.schema;
  const streamed = findStreamed(usual);
  const type = streamed ?? toUnion(usual);
  const schemas = [...responses.flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema))];
  if (representation) schemas.push(representation);
  const { paged, item } = parameters.some(({ name }) => name === 'cursor') ? findPaging(usual, document) : {};
  return {
    schemas,
    paged,
    isStreamed: streamed !== undefined,
    // The 200 of an operation that creates records is that of a dry run.
    returns: ((usual.find(({ status }) => status === '201') ?? usual[0])?.description ?? '').replaceAll(/\s+/g, ' '),
    types: [
      ...listPreferredTypes(parameters, usual, representation),
      {
        ...(knowsHandling(parameters) ? { prefer: 'PreferStrict' } : {}),
        type: toCallType(type, item, streamed),
      },
    ],
  };
}

function toCallType(type: string, item: string | undefined, streamed: string | undefined): string {
  if (streamed !== undefined) return `ExportPromise<${streamed}>`;
  return item === undefined ? `ApiPromise<${type}>` : `ListPromise<${type}, ${item}>`;
}

/** Returns the type of the document, if the operation returns a document or, by `Accept`, its values as lines. */
function findStreamed([response]: readonly Response[]): string | undefined {
  const { content = {} } = response ?? {};
  return content[NDJSON] && content[JSON_TYPE] ? nameOf(content[JSON_TYPE].schema) : undefined;
}

function resolve(response: Response, components: Record<string, Response> = {}): Response {
  const name = response.$ref?.split('/').at(-1);
  return name === undefined ? response : resolve(components[name]!, components);
}

/** Returns the types of the result with `return=representation` and `return=minimal`, if they differ from the usual one. */
function listPreferredTypes(
  parameters: readonly Parameter[],
  usual: readonly (Response & { status: string })[],
  representation: Schema | undefined,
): Operation['types'] {
  const prefer = parameters.find(({ name }) => name.toLowerCase() === 'prefer');
  if (!prefer?.description?.includes('return=')) return [];
  const isEmpty = usual.every(({ content }) => content === undefined);
  return [
    ...(representation ? [{ prefer: 'PreferRepresentation', type: `ApiPromise<${nameOf(representation)}>` }] : []),
    ...(isEmpty ? [] : [{ prefer: 'PreferMinimal', type: 'ApiPromise<void>' }]),
  ];
}

const knowsHandling = (parameters: readonly Parameter[]): boolean =>
  parameters.some(({ name, description }) => name.toLowerCase() === 'prefer' && description?.includes('handling='));

const nameOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) || 'unknown';

function toUnion(responses: readonly (Response & { status: string })[]): string {
  const types = responses.flatMap(({ status, content, headers = {} }) => {
    if (content !== undefined) return Object.entries(content).map(([media, { schema }]) => toType(media, schema));
    return [status !== '304' && 'Location' in headers ? 'Created' : 'undefined'];
  });
  const union = [...new Set(types)].sort((one, other) => Number(one === 'undefined') - Number(other === 'undefined'));
  return union.join(' | ') === 'undefined' ? 'void' : union.join(' | ');
}

function toType(mediaType: string, schema: Schema): string {
  if (mediaType === NDJSON) return `${nameOf(schema)}[]`;
  return mediaType.startsWith('text/') ? 'string' : nameOf(schema);
}

type Paging = { paged?: Operation['entry']['paged']; item?: string };

/** How the operation returns pages, and the type of their items. */
function findPaging([response]: readonly Response[], { components }: OpenApiDocument): Paging {
  const lines = response?.content?.[NDJSON]?.schema;
  if (lines && 'Link' in (response.headers ?? {})) return { paged: 'link', item: nameOf(lines) };
  const page = components.schemas[nameOf(response?.content?.[JSON_TYPE]?.schema ?? {})];
  const items = page?.properties?.['items']?.items;
  return items?.$ref && page?.properties?.['nextCursor'] ? { paged: true, item: nameOf(items) } : {};
}
