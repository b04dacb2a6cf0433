import { appText } from '../app.text.js';
import { parseCaller } from './demonstration-caller.js';

/** Translates the name of a demonstration caller into the user's language, for example `Klinik 1`. */
export function translateCaller(caller: string, text: (typeof appText)['en']): string {
  const { role, ordinal } = parseCaller(caller);
  return ordinal === undefined ? text.roles[role] : `${text.roles[role]} ${ordinal}`;
}
