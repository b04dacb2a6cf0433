import { z } from 'zod';

export const progressSchema = z
  .object({
    done: z.int().meta({ description: 'Books that the Client has done.', example: 3 }),
    total: z.int().meta({ description: 'Books given.', example: 4 }),
  })
  .meta({ description: 'How much of the homework is done.' });

export function countProgress(homework: readonly { completedAt: unknown }[]): z.output<typeof progressSchema> {
  return { done: homework.filter((item) => item.completedAt !== null).length, total: homework.length };
}
