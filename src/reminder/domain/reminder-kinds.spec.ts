import { toPersonKey } from '../../directory/domain/person.entity.js';
import { RECIPIENT_KINDS, toRecipientKey } from './reminder-kinds.js';

it.each(RECIPIENT_KINDS)('has the same key for a %s as the maps of the directory', (kind) => {
  expect(toRecipientKey({ kind, id: 12 })).toBe(toPersonKey({ kind, id: 12 }));
});
