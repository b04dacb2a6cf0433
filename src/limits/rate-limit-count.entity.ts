import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../shared/persistence/index.js';

const RateLimitCountSchema = defineEntity({
  name: 'RateLimitCount',
  tableName: 'rate_limit_count',
  properties: {
    /** The minute in which the requests were counted, in minutes since 1970. */
    minute: columnTypes.reference().primary(),
    /** Digest of the policy and the address or caller, with the key of the installation if there is encryption. */
    digest: p.text().primary(),
    used: columnTypes.reference(),
  },
});

/** Number of requests from one address or caller in one minute, across all instances. */
export class RateLimitCount extends RateLimitCountSchema.class {}

RateLimitCountSchema.setClass(RateLimitCount);
