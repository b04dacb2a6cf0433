import type { z } from 'zod';

/** The variables of one part of the service, with their heading in docs/configuration.md. */
type DeclaredVariables = { heading: string; shape: z.core.$ZodShape };

const declared: DeclaredVariables[] = [];

/**
 * Declares environment variables, so that docs/configuration.md and .env.example list them. Each schema needs a
 * description. `meta({ required })` describes when a variable must be set; `meta({ secret: true })` allows its value in
 * a file.
 */
export function declareVariables<Shape extends z.core.$ZodShape>(heading: string, shape: Shape): Shape {
  declared.push({ heading, shape });
  return shape;
}

const rules: z.ZodType[] = [];

/**
 * Declares a schema with rules that involve several variables of one part of the service, so that violations are listed
 * together with all other invalid variables.
 */
export function declareRules<Schema extends z.ZodType>(schema: Schema): Schema {
  rules.push(schema);
  return schema;
}

/** Returns the rules of all loaded modules. */
export function listDeclaredRules(): readonly z.ZodType[] {
  return rules;
}

/** Returns the variables of all loaded modules. */
export function listDeclaredVariables(): readonly DeclaredVariables[] {
  return declared;
}
