import { findBreakingChanges } from './compare.js';
import type { Document, Operation, Schema } from './document.js';

/* Each kind of breaking change is found. Additions break no caller. */

const item: Schema = {
  type: 'object',
  properties: {
    id: { type: 'integer', format: 'int64' },
    state: { type: 'string', enum: ['ON', 'OFF'] },
    note: { type: ['string', 'null'] },
    parent: { anyOf: [{ $ref: '#/components/schemas/Item' }, { type: 'null' }] },
    owner: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  },
  required: ['id', 'state'],
};
const input: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 20 },
    kind: { type: 'string', enum: ['A', 'B'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 5 },
    size: { type: ['integer', 'null'], minimum: 0 },
    target: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
  },
  required: ['name'],
};

const create = (): Document => ({
  paths: {
    '/item': {
      get: {
        operationId: 'listItems',
        'x-required-role': 'CLINIC',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 200, default: 50 } },
          { $ref: '#/components/parameters/Sort' } as never,
        ],
        responses: {
          200: {
            headers: { ETag: {} },
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Item' } } },
            },
          },
          404: {},
        },
      },
      post: {
        operationId: 'createItem',
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Input' } } },
        },
        responses: { 201: { $ref: '#/components/responses/Created' } },
      },
    },
  },
  components: {
    schemas: { Item: structuredClone(item), Input: structuredClone(input) },
    parameters: { Sort: { name: 'sort', in: 'query', schema: { type: 'string', enum: ['a', 'b'] } } },
    responses: { Created: { content: { 'application/json': { schema: { type: 'object' } } } } },
  },
});

type Parts = { get: Operation; post: Operation; item: Required<Schema>; input: Required<Schema>; document: Document };

/** Compares the document with a changed copy. */
function changesOf(change: (parts: Parts) => void): string[] {
  const document = create();
  const { get, post } = document.paths['/item'] as { get: Operation; post: Operation };
  const { Item, Input } = document.components!['schemas'] as { Item: Required<Schema>; Input: Required<Schema> };
  change({ get, post, item: Item, input: Input, document });
  return findBreakingChanges(create(), document);
}

it.each<[what: string, change: (parts: Parts) => void, found: string]>([
  ['an operation', ({ document }) => delete document.paths['/item']!['get'], 'GET /item: is removed'],
  ['an operationId', ({ get }) => (get.operationId = 'all'), 'GET /item: its operationId is all, not listItems'],
  ['a role', ({ get }) => (get['x-required-role'] = 'ADMIN'), 'GET /item: is for another role'],
  ['a parameter', ({ get }) => get.parameters!.pop(), 'GET /item: query parameter sort is removed'],
  [
    'an optional parameter',
    ({ get }) => (get.parameters![0]!.required = true),
    'GET /item: query parameter limit is required',
  ],
  [
    'a new required parameter',
    ({ get }) => get.parameters!.push({ name: 'day', in: 'query', required: true, schema: { type: 'string' } }),
    'GET /item: query parameter day is required',
  ],
  [
    'a bound',
    ({ get }) => (get.parameters![0]!.schema.maximum = 100),
    'GET /item: query parameter limit lowers maximum',
  ],
  [
    'a default',
    ({ get }) => (get.parameters![0]!.schema.default = 20),
    'GET /item: query parameter limit has another default',
  ],
  [
    'a field of a request',
    ({ input: { properties } }) => delete properties['tags'],
    'POST /item: request /tags is removed',
  ],
  ['a new required field', ({ input: { required } }) => required.push('kind'), 'POST /item: request /kind is required'],
  [
    'a value of a request',
    ({ input: { properties } }) => properties['kind']!.enum!.pop(),
    'POST /item: request /kind no longer takes "B"',
  ],
  [
    'a type of a request',
    ({ input: { properties } }) => (properties['size']!.type = 'integer'),
    'POST /item: request /size takes integer instead of integer or null',
  ],
  [
    'a type of items',
    ({ input: { properties } }) => (properties['tags']!.items!.type = 'integer'),
    'POST /item: request /tags/- takes integer instead of string',
  ],
  [
    'a length',
    ({ input: { properties } }) => (properties['name']!.maxLength = 10),
    'POST /item: request /name lowers maxLength',
  ],
  [
    'a pattern',
    ({ input: { properties } }) => (properties['name']!.pattern = 'x'),
    'POST /item: request /name has another pattern',
  ],
  ['an optional body', ({ post }) => (post.requestBody!.required = true), 'POST /item: a body is required'],
  [
    'a media type',
    ({ post }) => (post.requestBody!.content = { 'text/plain': {} }),
    'POST /item: request of application/json is removed',
  ],
  ['a status', ({ get }) => delete get.responses['200'], 'GET /item: never answers 200 any more'],
  ['a header', ({ get }) => delete get.responses['200']!.headers, 'GET /item: 200 header ETag is removed'],
  [
    'a field of an answer',
    ({ item: { properties } }) => delete properties['note'],
    'GET /item: 200 response /-/note is removed',
  ],
  [
    'a value of an answer',
    ({ item: { properties } }) => properties['state']!.enum!.pop(),
    'GET /item: 200 response /-/state is never "OFF" any more',
  ],
  [
    'a type of an answer',
    ({ item: { properties } }) => (properties['id']!.type = ['integer', 'null']),
    'GET /item: 200 response /-/id is integer or null instead of integer',
  ],
  [
    'alternatives of an answer that can be null',
    ({ item: { properties } }) => properties['owner']!.anyOf!.push({ type: 'null' }),
    'GET /item: 200 response /-/owner is string or integer or null instead of string or integer',
  ],
  [
    'alternatives of a request that cannot be null any more',
    ({ input: { properties } }) => properties['target']!.anyOf!.pop(),
    'POST /item: request /target takes string or integer instead of string or integer or null',
  ],
  [
    'a field that was always there',
    ({ item: { required } }) => required.pop(),
    'GET /item: 200 response /-/state can be absent',
  ],
])('finds the change of %s', (_what, change, found) => {
  expect(changesOf(change)).toContain(found);
});

it('reads the parameters of a path as those of its operations', () => {
  expect(changesOf(moveParametersToPath)).toEqual([]);
  const changes = changesOf((parts) => {
    moveParametersToPath(parts);
    (parts.document.paths['/item'] as unknown as { parameters: unknown[] }).parameters.pop();
  });
  expect(changes).toEqual(['GET /item: query parameter sort is removed']);
});

function moveParametersToPath({ get, document }: Parts): void {
  Object.assign(document.paths['/item']!, { parameters: get.parameters });
  delete get.parameters;
}

it('allows what is new, wider requests, narrower answers, other errors and other texts', () => {
  const changes = changesOf(({ get, post, item: { properties, required }, input: wider, document }) => {
    document.paths['/new'] = { get: { operationId: 'getNew', responses: { 200: {} } } };
    get.parameters!.push({ name: 'day', in: 'query', schema: { type: 'string' } });
    get.parameters![0]!.schema.maximum = 500;
    delete get.responses['404'];
    post.responses['409'] = {};
    wider.properties['colour'] = { type: 'string' };
    wider.properties['name']!.maxLength = 40;
    wider.properties['kind']!.enum!.push('C');
    properties['more'] = { type: 'string' };
    properties['state']!.enum!.push('BROKEN');
    properties['note']!.type = 'string';
    required.push('more');
    Object.assign(properties['id']!, { description: 'Another text.', example: 2 });
  });
  expect(changes).toEqual([]);
});

it('does not care whether a part is written in its place or below components', () => {
  expect(
    changesOf(({ get, document }) => {
      get.parameters![1] = structuredClone(document.components!['parameters']!['Sort']) as never;
    }),
  ).toEqual([]);
});
