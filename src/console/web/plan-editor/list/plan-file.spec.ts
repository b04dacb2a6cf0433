import { parsePlanFile } from './plan-file.js';

it('reads what is shown of a file before its import', () => {
  const plan = { planName: 'Sleep', weeks: [{}] };
  const document = { format: 'care-scheduling/design-plan', formatVersion: 1, plan };
  expect(parsePlanFile(JSON.stringify(document))).toEqual({ document, name: 'Sleep', weekCount: 1 });
  expect(parsePlanFile('{"plan":{"planName":{},"name":"N","weeks":3}}')).toMatchObject({ name: 'N', weekCount: 0 });
});

it.each(['', 'no JSON', 'null', '[]', '{}', '{"plan":null}', '{"plan":[]}'])('refuses %j', (text) => {
  expect(parsePlanFile(text)).toBeUndefined();
});
