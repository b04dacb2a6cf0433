import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';

const RateLimitCountSchema = defineEntity({
  name: 'RateLimitCount',
  tableName: 'rate_limit_count',
  properties: {
    /** Minutes since 1970. */
    minute: columns.reference().primary(),
    /** Of the policy and whom it is applied to: neither addresses nor names. */
    digest: p.text().primary(),
    used: columns.reference(),
  },
});

/** How many requests somebody has made in one minute, over all instances. */
export class RateLimitCount extends RateLimitCountSchema.class {}

RateLimitCountSchema.setClass(RateLimitCount);
