import { defineEntity, p } from '@mikro-orm/core';
import type { TenantEntityManager } from './tenant-entity-manager.js';

const PieceSchema = defineEntity({
  name: 'Piece',
  properties: { id: p.integer().primary(), clinicId: p.integer(), title: p.string() },
});
class Piece extends PieceSchema.class {}
PieceSchema.setClass(Piece);

const SharedSchema = defineEntity({ name: 'Shared', properties: { id: p.integer().primary(), title: p.string() } });
class Shared extends SharedSchema.class {}
SharedSchema.setClass(Shared);

/** Never run: `npm run check:types` is the test, which fails when one of the marked lines compiles. */
export async function lookUps(em: TenantEntityManager): Promise<void> {
  await em.find(Piece, { clinicId: 1, title: 'a' });
  await em.find(Piece, { clinicId: 1, $or: [{ id: 1 }, { title: 'a' }] });
  await em.find(Shared, { title: 'a' });
  // @ts-expect-error -- no Clinic
  await em.find(Piece, { title: 'a' });
  // @ts-expect-error -- an id alone may be anybody's
  await em.findOne(Piece, { id: 1 });
  // @ts-expect-error -- not even the short form
  await em.findOne(Piece, 1);
  // @ts-expect-error -- no Clinic
  await em.findOneOrFail(Piece, { id: 1 });
  // @ts-expect-error -- of one branch only
  await em.find(Piece, { $or: [{ clinicId: 1 }, { title: 'a' }] });
  // @ts-expect-error -- a Clinic that may be absent
  await em.find(Piece, { clinicId: undefined });
  // @ts-expect-error -- no condition at all
  await em.count(Piece);
  // @ts-expect-error -- no Clinic
  await em.count(Piece, {});
  // @ts-expect-error -- no Clinic
  await em.nativeUpdate(Piece, { id: 1 }, { title: 'b' });
  // @ts-expect-error -- no Clinic
  await em.nativeDelete(Piece, { id: 1 });
  // @ts-expect-error -- and not within a transaction either
  await em.transactional((inner) => inner.find(Piece, { id: 1 }));
  // @ts-expect-error -- nor by a query of one's own making
  em.createQueryBuilder(Piece);
}

it('is a matter of types', () => {
  expect(lookUps).toBeInstanceOf(Function);
});
