import type { z } from 'zod';

/** The documentation of a successful response. */
export type SuccessResponse = {
  status: 200 | 201 | 204;
  description: string;
  schema?: z.ZodType | undefined;
  /** Response headers of this operation. */
  headers?: Readonly<Record<string, { description: string; example: string }>>;
};

/** Converts the documentation of a response to options of `@ApiResponse`. */
export function toSuccessResponse({ status, description, schema, headers = {} }: SuccessResponse) {
  const documented = Object.entries(headers).map(([name, header]) => [
    name,
    { description: header.description, schema: { type: 'string', example: header.example } },
  ]);
  return {
    status,
    description,
    ...(schema ? { standardSchema: schema } : {}),
    headers: Object.fromEntries(documented) as Record<string, never>,
  };
}
