import type { z } from 'zod';

/** Variables of one part of the service, under the heading that docs/configuration.md gives them. */
type DeclaredVariables = { heading: string; shape: z.core.$ZodShape };

const declared: DeclaredVariables[] = [];

/**
 * Declares environment variables, so that docs/configuration.md and .env.example list them. Each schema needs a
 * description; `meta({ required })` says when a variable must be set.
 */
export function declareVariables<Shape extends z.core.$ZodShape>(heading: string, shape: Shape): Shape {
  declared.push({ heading, shape });
  return shape;
}

/** All that the loaded modules have declared. */
export function declaredVariables(): readonly DeclaredVariables[] {
  return declared;
}
