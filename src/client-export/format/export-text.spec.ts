import { z } from 'zod';
import { CHANNEL_NAMES } from '../../reminder/channel/channel-names.js';
import { DEFERRAL_REASONS, MOVE_AND_QUEUE_REASONS } from '../../reminder/domain/reminder-history.js';
import { DEAD_LETTER_REASONS, SKIP_REASONS, WITHDRAWAL_REASONS } from '../../reminder/domain/reminder-status.js';
import { RULE_ANCHORS } from '../../reminder/reading/reminder-model.dto.js';
import { clientExportSchema, LIST_SECTIONS, SINGLE_OBJECT_SECTIONS } from '../dto/client-export.js';
import { EXPORT_LANGUAGES, EXPORT_TEXTS, ExportTranslator } from './export-text.js';
import { FIELDS_WITH_CONSTANTS } from './html-item-writer.js';

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  $ref?: string;
  $defs?: Record<string, Schema>;
};

/** Members of the shared schemas that other operations return but an export omits. */
const NOT_EXPORTED = new Set(['remindersAhead', 'conflicts', 'session']);
const [members, constants] = [new Set<string>(), new Set<string>()];

function collect(schema: Schema, definitions: Record<string, Schema>, member: string): void {
  const target = schema.$ref === undefined ? schema : definitions[schema.$ref.split('/').at(-1)!]!;
  if (FIELDS_WITH_CONSTANTS.has(member)) for (const value of target.enum ?? []) constants.add(String(value));
  for (const [name, property] of Object.entries(target.properties ?? {})) {
    if (NOT_EXPORTED.has(name)) continue;
    members.add(name);
    collect(property, definitions, name);
  }
  for (const part of [...(target.anyOf ?? []), ...(target.items ? [target.items] : [])])
    collect(part, definitions, member);
}

beforeAll(() => {
  const { $defs = {} } = z.toJSONSchema(clientExportSchema) as Schema;
  for (const [section, schema] of Object.entries($defs['ClientExport']!.properties!)) collect(schema, $defs, section);
});

/** The constants of reminders that their schemas describe as any text. */
const REMINDER_CONSTANTS = [
  ...[...DEFERRAL_REASONS, ...MOVE_AND_QUEUE_REASONS, ...SKIP_REASONS, ...WITHDRAWAL_REASONS, ...DEAD_LETTER_REASONS],
  ...[...Object.values(RULE_ANCHORS), ...CHANNEL_NAMES],
];

it('the schemas have members and constants', () => {
  expect([members.size > 60, constants.size > 30]).toEqual([true, true]);
});

describe.each(EXPORT_LANGUAGES)('%s', (language) => {
  const texts = EXPORT_TEXTS[language];

  it(`src/client-export/format/${language}.json names every section, member and constant of the schemas`, () => {
    const without = (names: Iterable<string>, known: object) =>
      [...names].filter((name) => !Object.hasOwn(known, name));
    expect(without([...Object.keys(SINGLE_OBJECT_SECTIONS), ...Object.keys(LIST_SECTIONS)], texts.sections)).toEqual(
      [],
    );
    expect(without(members, texts.labels)).toEqual([]);
    expect(without([...constants, ...REMINDER_CONSTANTS], texts.constants)).toEqual([]);
  });

  it('has the same texts as English, and none is empty', () => {
    for (const kind of ['words', 'sections', 'labels', 'constants'] as const) {
      expect(Object.keys(texts[kind])).toEqual(Object.keys(EXPORT_TEXTS.en[kind]));
      expect(Object.values(texts[kind]).filter((text) => text.trim() === '')).toEqual([]);
    }
  });
});

it.each([
  ['de-AT', 'Europe/Vienna', 'de', '28. März 2027'],
  ['en', 'America/Los_Angeles', 'en', '28 March 2027'],
  [null, 'Nowhere/Unknown', 'en', '28 March 2027'],
  ['pt', 'UTC', 'en', '28 March 2027'],
  ['not_a_tag', 'UTC', 'en', '28 March 2027'],
])('a page for %s in %s is in %s', (locale, zone, language, date) => {
  const text = new ExportTranslator(locale, zone);
  expect([text.language, text.writeInstant('2027-03-28T08:30:00.000Z')]).toEqual([
    language,
    expect.stringContaining(date),
  ]);
});
