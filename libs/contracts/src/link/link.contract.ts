import { queueContracts } from '../queue-contracts.js';
import { CountClicksRequest, CountedClicks, ResolvedLink, ResolveLinkRequest } from './link.dto.js';

const { request } = queueContracts('messaging');

/** Returns the URL of a tracked link. */
export const resolveLink = request('link.resolve', ResolveLinkRequest, ResolvedLink, { deadlineMs: 3_000 });

/**
 * Counts clicks that a gateway has collected. A request, not an event: the gateway keeps them until the reply, so that
 * their number is bounded in the gateway and they do not pile up in the broker.
 */
export const countClicks = request('link.count-clicks', CountClicksRequest, CountedClicks, {
  weigh: ({ links }) => links.length,
});
