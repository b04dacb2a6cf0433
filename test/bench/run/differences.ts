/** The differences between the variants. The ratios must be read together with them. */
export const VARIANT_DIFFERENCES: readonly { variant: string; text: string }[] = [
  {
    variant: 'All',
    text:
      'Same requests, same checks of the input, same rows in every table, same answers: held against each other before anything ' +
      'is measured. The same database roles and row-level security, an entry in the audit trail, a log line and a histogram for each ' +
      'request. One process on a core of its own, ten connections, load and PostgreSQL on the other cores.',
  },
  {
    variant: 'The product',
    text:
      'Does more beside each request than any other: idempotency keys, refusal when it is late or its memory runs out, limits that instances share, ' +
      'every operation and not just these, audit of denials. Its queue and its schedules run, with nothing to do.',
  },
  {
    variant: 'The yardstick',
    text:
      'Fastify, Ajv and pg by hand with named statements, one or two for each operation; it waits for the answer of each, where ' +
      'the product sends together what it can. Rate limits, revoked tokens and a bound of requests at work are its own. It knows only ' +
      'these operations, and has none of what the product does beside requests.',
  },
  {
    variant: 'The common way',
    text:
      'Nest on Fastify, class-validator and class-transformer, MikroORM lookups, persist and flush. In doubt it is favoured: the ' +
      'yardstick’s quick token check instead of Passport, no rate limits, no idempotency, errors of a few words. Entities and pure rules ' +
      'are the product’s; as these refer by ids, a series is flushed in three steps, where relations would need one.',
  },
  {
    variant: 'pgbench',
    text:
      'The statements that the yardstick sends for 64 requests, again and again, prepared, from 16 clients: no HTTP, no JSON, no checks. ' +
      'It says who the caller is in a round trip more, and runs after the others, not between them.',
  },
];
