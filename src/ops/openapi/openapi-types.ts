import type { OTHER_MEDIA_KEY } from '../../shared/http/index.js';
import type { ALIASES_KEY, REQUEST_EXAMPLES_KEY, RequestExample } from '../../shared/validation/index.js';

/* The parts of the OpenAPI document that this folder reads and changes. */

export type Schema = {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  items?: Schema;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  propertyNames?: Schema;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  example?: unknown;
  [ALIASES_KEY]?: Record<string, string>;
  [REQUEST_EXAMPLES_KEY]?: Record<string, RequestExample>;
};
export type Schemas = Record<string, Schema>;
export type MediaType = { schema?: Schema; example?: unknown; examples?: Record<string, RequestExample> };
type Content = Record<string, MediaType>;
export type Response = {
  description: string;
  content?: Content;
  headers?: Record<string, object>;
  [OTHER_MEDIA_KEY]?: Record<string, string>;
  'x-preference'?: string;
};
export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };
type Reference = { $ref: string };
export type RequestBody = { content: Content };
export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: RequestBody | Reference;
  responses: Record<string, Response | Reference>;
  'x-required-role'?: string;
  'x-representation'?: Schema;
};
/** Whether an operation needs a token. A public operation has an empty list, which overrides the document's default. */
export const needsToken = ({ security }: Operation): boolean => security?.length !== 0;

type Components = {
  schemas: Schemas;
  responses?: Record<string, Response>;
  parameters?: Record<string, Parameter>;
  headers?: Record<string, object>;
  requestBodies?: Record<string, RequestBody>;
};
/** The operations of a path by their method. */
export type PathItem = Record<string, Operation>;
export type OpenApi = {
  info: { contact?: object };
  paths: Record<string, PathItem>;
  components: Components;
  security?: Record<string, string[]>[];
  tags?: { name: string; description?: string }[];
  'x-tagGroups'?: { name: string; tags: string[] }[];
};
