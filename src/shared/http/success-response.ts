import type { z } from 'zod';

/** The documentation of a successful response. */
export type SuccessResponse = {
  status: 200 | 201 | 204;
  description: string;
  schema?: z.ZodType | undefined;
  /**
   * Further media types of the response, each with the JSON type of its content. The caller selects one with `Accept`.
   */
  otherMedia?: Readonly<Record<string, 'object' | 'string'>> | undefined;
  /** Response headers of this operation. */
  headers?: Readonly<Record<string, { description: string; example: string }>>;
};

/** Key under which the OpenAPI document contains the further media types until `completeSchemasAndOperations` moves them. */
export const OTHER_MEDIA_KEY = 'x-other-media';

/** Converts the documentation of a response to options of `@ApiResponse`. */
export function toSuccessResponse({ status, description, schema, otherMedia, headers = {} }: SuccessResponse) {
  const documented = Object.entries(headers).map(([name, header]) => [
    name,
    { description: header.description, schema: { type: 'string', example: header.example } },
  ]);
  return {
    status,
    description,
    ...(schema ? { standardSchema: schema } : {}),
    ...(otherMedia ? { [OTHER_MEDIA_KEY]: otherMedia } : {}),
    headers: Object.fromEntries(documented) as Record<string, never>,
  };
}
