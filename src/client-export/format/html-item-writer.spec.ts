import { ExportTranslator } from './export-text.js';
import { HtmlItemWriter } from './html-item-writer.js';

const writer = new HtmlItemWriter(new ExportTranslator('en', 'Europe/London'));
const MARKUP = `"><img src=x onerror='x'>&`;
const ESCAPED = '&#34;&#62;&#60;img src=x onerror=&#39;x&#39;&#62;&#38;';

it.each([
  ['a text', { title: MARKUP }, `<dt>Title</dt><dd><bdi>${ESCAPED}</bdi></dd>`],
  ['an unknown constant', { status: MARKUP }, `<dt>State</dt><dd>${ESCAPED}</dd>`],
  ['the name of an unknown member', { [MARKUP]: 1 }, `<dt>${ESCAPED}</dt><dd>1</dd>`],
  ['an almost instant', { at: `2027-03-28T08:30:00Z${MARKUP}` }, `<dd><bdi>2027-03-28T08:30:00Z${ESCAPED}</bdi></dd>`],
  ['a list', { records: [MARKUP] }, `<ul><li><bdi>${ESCAPED}</bdi></li></ul>`],
  ['an inner object', { cancellation: { note: MARKUP } }, `<dl><dt>Note</dt><dd><bdi>${ESCAPED}</bdi></dd></dl>`],
])('escapes %s', (_, item, expected) => {
  expect(writer.writeItem(item)).toContain(expected);
});

it.each([
  ['a constant', { status: 'NO_SHOW' }, 'missed'],
  ['a constant that is a property of every object', { status: 'constructor' }, '<dd>constructor</dd>'],
  ['a boolean', { active: false }, 'no'],
  ['zero', { ordering: 0 }, '<dd>0</dd>'],
  ['an instant', { at: '2027-03-28T08:30:00.000Z' }, '<time datetime="2027-03-28T08:30:00.000Z">28 March 2027'],
])('writes %s', (_, item, expected) => {
  expect(writer.writeItem(item)).toContain(expected);
});

it('writes the anchor and the reasons of a history in the language of the page', () => {
  const german = new HtmlItemWriter(new ExportTranslator('de', 'Europe/London'));
  const history = [{ anchor: 'the start of the Session' }, { reason: 'CHANNEL_BUSY' }, { reason: 'TIME_ZONE' }];
  const text = german.writeItem({ history });
  for (const expected of ['Beginn der Sitzung', 'der Kanal war ausgelastet', 'die Zeitzone hat sich geändert'])
    expect(text).toContain(expected);
});

it('writes the settings that were not known with their labels', () => {
  const german = new HtmlItemWriter(new ExportTranslator('de', 'Europe/London'));
  const item = { history: [{ fallback: 'TIME_ZONE, LOCALE' }] };
  expect(writer.writeItem(item)).toContain('<dd>Time zone, Language</dd>');
  expect(german.writeItem(item)).toContain('<dd>Zeitzone, Sprache</dd>');
});

it('leaves out what is empty', () => {
  expect(writer.writeItem({ title: null, records: [], note: undefined })).toBe('<section><dl></dl></section>');
});
