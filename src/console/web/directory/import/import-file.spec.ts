import { parseImportFile } from './import-file.js';

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

it('stops at a quotation mark that is never closed', () => {
  expect(parseImportFile('externalId,name\nehr-1,"Alex').broken).toEqual([2]);
  expect(parseImportFile('')).toEqual({ records: [], lines: [], broken: [] });
});
