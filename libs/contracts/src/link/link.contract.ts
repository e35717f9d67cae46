import { defineRequest } from '@gangan/protocol';
import { CountClicksRequest, CountedClicks, ResolvedLink, ResolveLinkRequest } from './link.dto.js';

const queue = 'messaging';

/** Where a tracked link leads. */
export const resolveLink = defineRequest({
  queue,
  name: 'link.resolve',
  deadlineMs: 3_000,
  request: ResolveLinkRequest,
  reply: ResolvedLink,
});

/**
 * Clicks that a gateway has gathered. A request and no event: the gateway keeps them until it hears that they are
 * counted, so that they are bounded where they arise, and nothing piles up in the broker.
 */
export const countClicks = defineRequest({
  queue,
  name: 'link.count-clicks',
  deadlineMs: 10_000,
  request: CountClicksRequest,
  reply: CountedClicks,
  weigh: ({ links }) => links.length,
});
