import { parseImportFile, readImportFile } from './import-file.js';

const alex = { externalId: 'ehr-1', name: 'Alex' };

it('reads JSON lines, and tells in which lines there is no record', () => {
  expect(parseImportFile(`{"externalId":"ehr-1","name":"Alex"}\r\n\r\nno\n[1]\n{"externalId":"ehr-2"}\n`)).toEqual({
    ...{ records: [alex, { externalId: 'ehr-2' }], lines: [1, 5], broken: [3, 4] },
  });
});

it('reads a JSON list', () => {
  expect(parseImportFile(` [${JSON.stringify(alex)}, 7]`)).toEqual({ records: [alex], lines: [1], broken: [2] });
  expect(parseImportFile('[{]')).toEqual({ records: [], lines: [], broken: [1] });
});

it('reads CSV with quotation marks, line breaks in cells and empty rows', () => {
  const text =
    '\uFEFFexternalId,name,active\r\nehr-1,"Alex ""A"", B\nC",TRUE\n\nehr-2,Ines,false\nehr-3,,\nehr-4,a,true,x';
  expect(parseImportFile(text)).toEqual({
    records: [
      { externalId: 'ehr-1', name: 'Alex "A", B\nC', active: true },
      { externalId: 'ehr-2', name: 'Ines', active: false },
      { externalId: 'ehr-3' },
    ],
    ...{ lines: [2, 5, 6], broken: [7] },
  });
});

it('reads CSV with semicolons, and lists in a cell', () => {
  expect(parseImportFile('externalId;name;careProviderExternalIds\nehr-1;Alex;cp-1|cp-2').records).toEqual([
    { ...alex, careProviderExternalIds: ['cp-1', 'cp-2'] },
  ]);
});

it.each([
  ['"externalId";"name"\n"ehr-1";"Alex"', 'quotation marks and semicolons'],
  ['"externalId","name"\nehr-1,Alex', 'quotation marks and commas'],
  ['externalId,name,"care;taker"\nehr-1,Alex', 'a semicolon in quotation marks'],
  ['externalId;"name"\nehr-1;Alex', 'quotation marks around some names'],
])('finds the separator of the header %j: %s', (text) => {
  expect(parseImportFile(text).records).toEqual([alex]);
});

it('decodes UTF-8, and otherwise Windows-1252, which Excel writes', () => {
  const text = 'externalId;name\r\nehr-1;Jürgen Müller\r\n';
  const records = [{ externalId: 'ehr-1', name: 'Jürgen Müller' }];
  const file = { records, lines: [2], broken: [] };
  expect(readImportFile(new TextEncoder().encode(text).buffer)).toEqual(file);
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  expect(readImportFile(bytes.buffer)).toEqual({ ...file, guessedText: 'Jürgen Müller' });
});

it('tells each line that cannot be read because of a wrong quotation mark', () => {
  const text = 'externalId,name\nehr-1,Alex\nehr-2,"Sunny" Lee\n\nehr-3,Ines\nehr-4,Omar\n';
  expect(parseImportFile(text)).toEqual({ records: [alex], lines: [2], broken: [3, 5, 6] });
  expect(parseImportFile('externalId,"name" x\nehr-1,Alex')).toEqual({ records: [], lines: [], broken: [2] });
});

it('stops at a quotation mark that is never closed', () => {
  expect(parseImportFile('externalId,name\nehr-1,"Alex').broken).toEqual([2]);
  expect(parseImportFile('')).toEqual({ records: [], lines: [], broken: [] });
});
