/* Decodes OTLP messages (opentelemetry.io/docs/specs/otlp), as far as the tests need their fields. */

type Value = string | number | boolean;

export type ReceivedSpan = {
  service: Value | undefined;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** The kind of the span: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  attributes: Record<string, Value>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
};

export type ReceivedMetric = {
  name: string;
  kind: 'gauge' | 'sum' | 'histogram';
  points: { attributes: Record<string, Value>; value: number; counts: number[]; bounds: number[] }[];
};

/** The fields of a message, keyed by field number. Groups do not occur, because protobuf has deprecated them. */
type Fields = ReadonlyMap<number, readonly (Buffer | number)[]>;

const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

function decode(message: Buffer): Fields {
  const fields = new Map<number, (Buffer | number)[]>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const bytes = (length: number) => message.subarray(at, (at += length));
  while (at < message.length) {
    const tag = varint();
    const type = tag % 8;
    const value =
      type === FIXED_64
        ? bytes(8)
        : type === LENGTH_DELIMITED
          ? bytes(varint())
          : type === FIXED_32
            ? bytes(4)
            : varint();
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Fields, number: number) => (fields.get(number) ?? []).map((field) => decode(field as Buffer));
const bytesOf = (fields: Fields, number: number) => (fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
const textOf = (fields: Fields, number: number) => bytesOf(fields, number).toString();
const hexOf = (fields: Fields, number: number) => bytesOf(fields, number).toString('hex');
const numberOf = (fields: Fields, number: number) => (fields.get(number)?.[0] as number | undefined) ?? 0;
const doubleOf = (fields: Fields, number: number) => bytesOf(fields, number).readDoubleLE();

function attributesOf(fields: Fields, number: number): Record<string, Value> {
  return Object.fromEntries(
    messages(fields, number).map((pair) => {
      const [value] = messages(pair, 2) as [Fields];
      if (value.has(1)) return [textOf(pair, 1), textOf(value, 1)];
      if (value.has(2)) return [textOf(pair, 1), numberOf(value, 2) === 1];
      return [textOf(pair, 1), value.has(3) ? numberOf(value, 3) : doubleOf(value, 4)];
    }),
  );
}

export function decodeSpans(request: Buffer): ReceivedSpan[] {
  return messages(decode(request), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1) as [Fields];
    const service = attributesOf(resource, 1)['service.name'];
    const spans = messages(resourceSpans, 2).flatMap((scope) => messages(scope, 2));
    return spans.map((span) => ({
      service,
      ...{ traceId: hexOf(span, 1), spanId: hexOf(span, 2), parentSpanId: hexOf(span, 4) },
      ...{ name: textOf(span, 5), kind: numberOf(span, 6), attributes: attributesOf(span, 9) },
      links: messages(span, 13).map((link) => ({ traceId: hexOf(link, 1), spanId: hexOf(link, 2) })),
      isError: messages(span, 15).some((status) => numberOf(status, 3) === 2),
    }));
  });
}

const METRIC_KINDS = { gauge: 5, sum: 7, histogram: 9 } as const;

export function decodeMetrics(request: Buffer): ReceivedMetric[] {
  const scopes = messages(decode(request), 1).flatMap((resource) => messages(resource, 2));
  return scopes
    .flatMap((scope) => messages(scope, 2))
    .map((metric) => {
      const kind = (['gauge', 'sum', 'histogram'] as const).find((name) => metric.has(METRIC_KINDS[name]))!;
      const points = messages(messages(metric, METRIC_KINDS[kind])[0]!, 1);
      return { name: textOf(metric, 1), kind, points: points.map(kind === 'histogram' ? toHistogram : toNumber) };
    });
}

function toNumber(point: Fields): ReceivedMetric['points'][number] {
  return { attributes: attributesOf(point, 7), value: doubleOf(point, 4), counts: [], bounds: [] };
}

function toHistogram(point: Fields): ReceivedMetric['points'][number] {
  const counts = fixed64s(bytesOf(point, 6)).map((bytes) => Number(bytes.readBigUInt64LE()));
  const bounds = fixed64s(bytesOf(point, 7)).map((bytes) => bytes.readDoubleLE());
  const value = Number(bytesOf(point, 4).readBigUInt64LE());
  return { attributes: attributesOf(point, 9), value, counts, bounds };
}

/** Splits a packed list of eight-byte values. */
function fixed64s(packed: Buffer): Buffer[] {
  return Array.from({ length: packed.length / 8 }, (_, index) => packed.subarray(index * 8, index * 8 + 8));
}
