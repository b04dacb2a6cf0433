import { defineEntity, p } from '@mikro-orm/core';
import { UNTRACKED, type TenantEntityManager } from './tenant-entity-manager.js';

const PieceSchema = defineEntity({
  name: 'Piece',
  properties: { id: p.integer().primary(), clinicId: p.integer(), title: p.string() },
});
class Piece extends PieceSchema.class {}
PieceSchema.setClass(Piece);

const SharedSchema = defineEntity({ name: 'Shared', properties: { id: p.integer().primary(), title: p.string() } });
class Shared extends SharedSchema.class {}
SharedSchema.setClass(Shared);

/** This function is never called. `npm run check:types` fails if a marked line compiles. */
export async function requiresTheClinic(em: TenantEntityManager): Promise<void> {
  await em.find(Piece, { clinicId: 1, title: 'a' });
  await em.find(Piece, { clinicId: 1, $or: [{ id: 1 }, { title: 'a' }] });
  await em.find(Shared, { title: 'a' });
  // @ts-expect-error -- no Clinic
  await em.find(Piece, { title: 'a' });
  // @ts-expect-error -- no Clinic in an untracked find
  await em.find(Piece, { title: 'a' }, UNTRACKED);
  // @ts-expect-error -- an ID alone may belong to another Clinic
  await em.findOne(Piece, { id: 1 });
  // @ts-expect-error -- no Clinic in the short form
  await em.findOne(Piece, 1);
  // @ts-expect-error -- no Clinic
  await em.findOneOrFail(Piece, { id: 1 });
  // @ts-expect-error -- the Clinic in one branch only
  await em.find(Piece, { $or: [{ clinicId: 1 }, { title: 'a' }] });
  // @ts-expect-error -- a Clinic that may be undefined
  await em.find(Piece, { clinicId: undefined });
  // @ts-expect-error -- no condition
  await em.count(Piece);
  // @ts-expect-error -- no Clinic
  await em.count(Piece, {});
  // @ts-expect-error -- no Clinic
  await em.nativeUpdate(Piece, { id: 1 }, { title: 'b' });
  // @ts-expect-error -- no Clinic
  await em.nativeDelete(Piece, { id: 1 });
  // @ts-expect-error -- no Clinic within a transaction
  await em.transactional((inner) => inner.find(Piece, { id: 1 }));
  // @ts-expect-error -- no query builder
  em.createQueryBuilder(Piece);
}

it('is checked by the compiler', () => {
  expect(requiresTheClinic).toBeInstanceOf(Function);
});
