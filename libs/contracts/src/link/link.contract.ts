import { defineRequest } from '@gangan/protocol';
import { CountClicksRequest, CountedClicks, ResolvedLink, ResolveLinkRequest } from './link.dto.js';

const queue = 'messaging';

/** Returns the URL of a tracked link. */
export const resolveLink = defineRequest({
  queue,
  name: 'link.resolve',
  deadlineMs: 3_000,
  request: ResolveLinkRequest,
  reply: ResolvedLink,
});

/**
 * Counts clicks that a gateway has collected. A request, not an event: the gateway keeps them until the reply, so that
 * their number is bounded in the gateway and they do not pile up in the broker.
 */
export const countClicks = defineRequest({
  queue,
  name: 'link.count-clicks',
  deadlineMs: 10_000,
  request: CountClicksRequest,
  reply: CountedClicks,
  weigh: ({ links }) => links.length,
});
