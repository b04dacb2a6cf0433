import { defineEntity, p } from '@mikro-orm/core';
import { FOR_BULK_UPDATE, UNTRACKED, type TenantEntityManager } from '../tenancy/tenant-entity-manager.js';
import { bulkUpdate } from './bulk-update.js';

/** An entity with behaviour: because of its private method, `Readonly<Plan>` is not assignable to `Plan`. */
const PlanSchema = defineEntity({
  name: 'Plan',
  properties: { id: p.integer().primary(), clinicId: p.integer(), title: p.string() },
});
class Plan extends PlanSchema.class {
  rename(title: string): void {
    this.write(title);
  }

  private write(title: string): void {
    this.title = title;
  }
}
PlanSchema.setClass(Plan);

const BookSchema = defineEntity({
  name: 'Book',
  properties: { id: p.integer().primary(), clinicId: p.integer(), title: p.string() },
});
class Book extends BookSchema.class {}
BookSchema.setClass(Book);

/** This function is never called. `npm run check:types` fails if a marked line compiles. */
export async function untrackedEntitiesAreReadonly(em: TenantEntityManager): Promise<void> {
  const where = { clinicId: 1, id: 1 };
  const [tracked] = await em.find(Plan, where);
  tracked!.title = 'b';
  const [untracked] = await em.find(Plan, where, { ...UNTRACKED, orderBy: { id: 'asc' } });
  // @ts-expect-error -- a change to an untracked entity would be lost
  untracked!.title = 'b';
  const book = await em.findOneOrFail(Book, where, UNTRACKED);
  // @ts-expect-error -- the same for an entity without methods
  book.title = 'b';
  const one = await em.findOne(Plan, where, UNTRACKED);
  // @ts-expect-error -- the same for one entity
  one!.title = 'b';
  const actor = await em.findActor(Plan, where, UNTRACKED);
  // @ts-expect-error -- the same for the actor
  actor!.title = 'b';
  // @ts-expect-error -- an untracked entity cannot be passed to code that may change it
  await bulkUpdate(em, Plan, [untracked!]);

  const [detached] = await em.find(Plan, where, { ...FOR_BULK_UPDATE, orderBy: { id: 'asc' } });
  detached!.rename('b');
  await bulkUpdate(em, Plan, [detached!]);
}

it('is checked by the compiler', () => {
  expect(untrackedEntitiesAreReadonly).toBeInstanceOf(Function);
});
