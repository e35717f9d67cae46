import { queueContracts } from '../queue-contracts.js';
import { CountClicksRequest, CountedClicks, ResolvedLink, ResolveLinkRequest } from './link.dto.js';

const { request } = queueContracts('messaging', 'messaging');

/** Returns the URL of a tracked link, and whether a test organisation made it. */
export const resolveLink = request('link.resolve', ResolveLinkRequest, ResolvedLink, { deadlineMs: 3_000 });

/** This is a request and no event: the gateway keeps clicks until the reply, so that they do not pile up in the broker. */
export const countClicks = request('link.count-clicks', CountClicksRequest, CountedClicks, {
  weigh: ({ links }) => links.length,
});
