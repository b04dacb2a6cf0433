import fc from 'fast-check';
import { describeStatement } from './statement-text.js';

it.each([
  ['select * from "session" where id = $1', 'select session', 'select * from "session" where id = $1'],
  [`begin; select set_config('app.caller_id', '123', true)`, 'begin', 'begin; select set_config(?, ?, true)'],
  [
    `select "s0"."id", a::float8 from session as s0 where b = -1.5e3 limit 10`,
    'select session',
    'select "s0"."id", a::float8 from session as s0 where b = ? limit ?',
  ],
  [`update client set name = 'O''Brien'`, 'update client', 'update client set name = ?'],
  [`select E'it\\'s', $tag$a 'b$tag$, $12`, 'select', 'select ?, ?, $12'],
  [`with a as (select from jsonb_to_recordset($1)) update reminder set x = 1`, 'with reminder', expect.any(String)],
  [
    `with a as materialized (select 1), b (id) as (select * from a) select * from b cross join lateral (select * from book) as c`,
    'with book',
    expect.any(String),
  ],
  ['insert into pgboss.job (id) select $1', 'insert pgboss.job', expect.any(String)],
  ['commit', 'commit', 'commit'],
])('%s', (statement, name, text) => {
  expect(describeStatement(statement)).toEqual({ name, text });
});

it('contains no value, whatever characters it has', () => {
  const quote = (value: string) => `'${value.replaceAll("'", "''")}'`;
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (first, second) => {
      const statement = `select * from client where name = ${quote(`xq${first}`)} and note = ${quote(`xq${second}`)}`;
      expect(describeStatement(statement).text).toBe('select * from client where name = ? and note = ?');
    }),
  );
});

it('contains no part of a value of a statement that is cut', () => {
  const { text } = describeStatement(`select 1 from client where name = '${'secret '.repeat(2_000)}'`);
  expect(text).toBe('select ? from client where name = ?');
});
