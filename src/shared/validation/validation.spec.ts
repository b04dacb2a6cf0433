import fc from 'fast-check';
import { z } from 'zod';
import { InvalidRequestError } from '../errors/index.js';
import { acceptAliases } from './alias.js';
import { MAX_JSON_DEPTH, parseJsonBody } from './json-body.js';
import { parseCursor, toPage } from './page.js';
import { storableText, timeZone } from './wire-types.js';

describe('parseJsonBody', () => {
  it('parses the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
        expect(parseJsonBody(Buffer.from(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('accepts the maximum depth, and refuses one level more', () => {
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    expect(parseJsonBody(nested(MAX_JSON_DEPTH))).toBeInstanceOf(Array);
    expect(() => parseJsonBody(nested(MAX_JSON_DEPTH + 1))).toThrow(InvalidRequestError);
  });

  it('does not count brackets in strings as nesting, however they are escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', 'a'), maxLength: 200 }), (value) => {
        expect(parseJsonBody(Buffer.from(JSON.stringify({ value })))).toEqual({ value });
      }),
    );
  });

  it('counts brackets after a string, however the string is escaped', () => {
    const tooDeep = '['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('[', ']', '"', '\\', 'a'), maxLength: 200 }), (value) => {
        const body = Buffer.from(`[${JSON.stringify(value)}, ${tooDeep}]`);
        expect(() => parseJsonBody(body)).toThrow(InvalidRequestError);
      }),
    );
  });

  it('throws only InvalidRequestError, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        try {
          parseJsonBody(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequestError);
        }
      }),
    );
  });
});

describe('timeZone', () => {
  it.each(['europe/london', 'EUROPE/LONDON'])('%s becomes Europe/London', (name) => {
    expect(timeZone.parse(name)).toBe('Europe/London');
  });

  it.each(['Mars/Olympus', '', 'x'.repeat(65), 5])('refuses %j', (name) => {
    expect(timeZone.safeParse(name).success).toBe(false);
  });
});

describe('mergeAliases', () => {
  const schema = acceptAliases(
    { title: 'Title' },
    z.object({ title: z.unknown().optional(), other: z.unknown().optional() }),
  );

  it('accepts either spelling, and both if they are equal', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), (value) => {
        for (const body of [{ title: value }, { Title: value }, { title: value, Title: value }]) {
          expect(schema.parse(body)).toEqual({ title: value });
        }
      }),
    );
  });

  it('names both spellings if they differ', () => {
    expect(schema.safeParse({ title: 'a', Title: 'b' }).error!.issues.map((issue) => issue.path)).toEqual([
      ['title'],
      ['Title'],
    ]);
  });

  it('treats null, and 0 next to an id, as absent', () => {
    for (const body of [
      { title: null, Title: 7 },
      { title: 7, Title: null },
      { title: 0, Title: 7 },
      { title: 7, Title: 0 },
    ]) {
      expect(schema.parse(body)).toEqual({ title: 7 });
    }
    expect(schema.safeParse({ title: 'a', Title: 0 }).success).toBe(false);
  });

  it('leaves values that are not objects to the schema', () => {
    for (const body of [null, [], 'x', 5, undefined]) expect(schema.safeParse(body).success).toBe(false);
  });
});

describe('pages', () => {
  it('a cursor is decoded to its original key', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), (value, id) => {
        const { nextCursor } = toPage([1, 2], 1, () => [value, id], String);
        expect(parseCursor(nextCursor!, z.tuple([z.string(), z.int()]))).toEqual([value, id]);
      }),
    );
  });

  it('there is a next page if and only if there are more rows than the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 12 }), fc.integer({ min: 1, max: 12 }), (rows, limit) => {
        const page = toPage(
          rows,
          limit,
          (row) => [row],
          (row) => row,
        );
        expect(page.items).toEqual(rows.slice(0, limit));
        expect(page.nextCursor === null).toBe(rows.length <= limit);
      }),
    );
  });

  it('refuses a cursor that it has not created', () => {
    fc.assert(
      fc.property(fc.string(), (cursor) => {
        fc.pre(!/^[\w-]+$/.test(cursor));
        expect(() => parseCursor(cursor, z.tuple([z.int()]))).toThrow(InvalidRequestError);
      }),
    );
  });
});

it('text counts code points, and refuses NUL and lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (value) => {
      const storable = [...value].length <= 20 && !value.includes('\0') && value.isWellFormed();
      expect(storableText(20).safeParse(value).success).toBe(storable);
    }),
  );
});
